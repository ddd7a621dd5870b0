"""Bring the index of a vault up to date: read, compare, embed what changed, write, remove what is gone."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from mindnet_chunker.counted import counted
from mindnet_chunker.embedding.embedder import Embedder
from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.generations import Home, Target, finish, look_at_target, open_target
from mindnet_chunker.index.locks import run_lock
from mindnet_chunker.index.manifest import Manifest, manifest_path
from mindnet_chunker.index.plan import Built, Wanted
from mindnet_chunker.index.store import note_states
from mindnet_chunker.index.sync import sync
from mindnet_chunker.pipeline import Rules
from mindnet_chunker.records import Record
from mindnet_chunker.report import Report
from mindnet_chunker.runs.embedder import ChunkEmbedder
from mindnet_chunker.runs.facts import VaultFacts
from mindnet_chunker.runs.forecast import Forecast, forecast
from mindnet_chunker.runs.indexes import other_name
from mindnet_chunker.runs.options import EmbedOptions, IndexOptions, StoreOptions, VaultOptions
from mindnet_chunker.runs.out import refuse_inside, write_out
from mindnet_chunker.runs.outcome import found, left_out, new_report, settled, take_in_done, take_in_facts
from mindnet_chunker.runs.places import FIRST_RUN, lock_folder, opened_home, others_of, place_name, refuse_foreign
from mindnet_chunker.runs.reader import Trouble, open_vault
from mindnet_chunker.runs.unchanged import fits, note_of, outside, settled_until, take_over
from mindnet_chunker.vault.read import Vault

WELL_ENOUGH = timedelta(minutes=1)  # by which the time of the last run may be told too early


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """What a run tells while it goes on, and asks."""

    say: Callable[[str], None] = lambda text: None
    detail: Callable[[str], None] = lambda text: None
    progress: Callable[[int, int], None] = lambda stored, total: None
    counts: Callable[[str], None] = lambda nouns: None  # what it is that `progress` counts
    should_stop: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Clock:
    """Seconds of wall time by stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def index_vault(
    path: Path,
    options: VaultOptions,
    where: StoreOptions,
    how: EmbedOptions,
    run: IndexOptions,
    listener: Listener,
    *,
    embedder: Embedder | None = None,
) -> Report:
    """Index the folder `path`; what is stored below it and no longer there is removed.

    `embedder` makes the vectors in place of the model that the options name.
    Raises MindnetError where nothing could be done. Notes that fail are in the report, the rest is done.
    """
    clock = Clock()
    trouble = Trouble()
    until = settled_until()
    with clock.stage("list"):
        vault, choice, rules, types = open_vault(path, options, weights=True)
    refuse_inside(vault.root, [("--store", where.folder), ("--out", run.out)])
    folder = lock_folder(where, rules.vault)
    refuse_foreign(where, folder)
    command = f"mindnet-chunk {path}"
    report = new_report(vault, choice, types, place_name(where, folder, rules.vault))
    report.named_store, report.timings = where.folder is not None, clock.seconds
    about = _about(vault, rules, types)
    embedder_of = partial(ChunkEmbedder, choice, how, model=embedder)
    seen = None if where.url else outside(vault, rules, until)
    with run_lock(folder, command):
        if seen and not (run.dry_run or run.rebuild or run.out):
            with opened_home(where, folder, command, rules.vault) as home:
                if _is_unchanged(home, rules.vault, about, embedder_of, seen, report, listener):
                    return report
        manifest = Manifest(manifest_path(folder, rules.vault))
        if run.rebuild:
            manifest.keep_only(())
        with clock.stage("read"):
            facts = VaultFacts(vault, rules, manifest, trouble)
        take_in_facts(facts, report)
        said = found(facts, report)
        listener.say(said)
        with opened_home(where, folder, command, rules.vault) as home:
            _refuse_other_root(home, rules.vault, vault)
            if options.vault_id is None and (hint := _other_name(home, rules.vault, vault, where)):
                listener.say(hint)
            chunk_embedder = embedder_of(_language(home, facts, rebuild=run.rebuild))
            wanted = facts.wanted(chunk_embedder.identity)
            _store(home, facts, wanted, about, chunk_embedder, run, report, listener, clock)
            if seen and not run.dry_run and not report.stopped and report.exit_code == 0 and (meta := home.meta()):
                paths = [one.path for one in wanted]
                home.settle(rules.vault, note_of(report, seen, meta, said, trouble.warnings, paths))
        if run.out is not None and not run.dry_run:
            write_out(run.out, wanted, rules, rebuild=run.rebuild)
        if not run.dry_run:
            manifest.save()
    return report


def _other_name(home: Home, name: str, vault: Vault, where: StoreOptions) -> str | None:
    """On the first run of a new id: whether the vault may be known by another one."""
    meta = home.meta()
    return None if meta and name in meta.vaults else other_name(vault.root, others_of(where, meta))


def _about(vault: Vault, rules: Rules, types: str) -> Record:
    """What the place notes of a vault."""
    weights = dict(rules.types.settings.weights)
    return {"root": str(vault.root), "last_run": None, "types": types, "weights": weights}


def _is_unchanged(
    home: Home,
    vault: str,
    about: Record,
    embedder_of: Callable[[str], ChunkEmbedder],
    seen: str,
    report: Report,
    listener: Listener,
) -> bool:
    """Whether vault and store are as the last good run left them; then the report says so."""
    meta, note = home.meta(), home.settled(vault)
    if meta is None or note is None or home.unfinished() or not fits(note, seen, meta, report.store):
        return False
    identity = embedder_of(str(meta.model.about.get("sparse", ""))).identity
    if meta.model.identity != identity or {**meta.vaults.get(vault, {}), "last_run": None} != about:
        return False
    take_over(note, report)
    listener.say(note["said"])
    _finish(home, Target(store=home.open(), takes_over=False, afresh=False), vault, about, report)
    return True


def _store(
    home: Home,
    facts: VaultFacts,
    wanted: Sequence[Wanted],
    about: Record,
    embedder: ChunkEmbedder,
    run: IndexOptions,
    report: Report,
    listener: Listener,
    clock: Clock,
) -> None:
    vault = facts.rules.vault
    if run.dry_run:
        store = look_at_target(home, embedder.model, rebuild=run.rebuild)
        target = Target(store=store, takes_over=False, afresh=False)
    else:
        target = open_target(home, vault, about | FIRST_RUN, embedder.model, rebuild=run.rebuild)
    place_options = f" --store {shlex.quote(report.store)}" if report.named_store else ""
    with clock.stage("forecast"):
        known = {state.note_id: state for state in note_states(target.store, vault)}
        out = left_out(facts)
        wanted = sorted(wanted, key=lambda one: one.path not in out)  # done first: they are not told as progress
        to_do = [one for one in wanted if target.afresh or not settled(one, known)]
        hidden = sum(one.path in out for one in to_do)
        ahead = forecast(to_do[hidden:])
    listener.counts("notes and boards" if ahead.boards else "notes")
    for line in ahead.lines(embedder.choice, str(facts.vault.root), place_options):
        listener.say(line)
    embedder.expect(ahead.tokens, listener.say)
    with clock.stage("store"):
        done = sync(
            target.store,
            vault,
            [_told(one, ahead, report, listener, facts.rules) for one in wanted],
            embedder,
            scope=facts.vault.scope,
            away=facts.away,
            allow_mass_delete=run.allow_mass_delete,
            afresh=target.afresh,
            dry_run=run.dry_run,
            known=known,
            progress=_after(hidden, listener.progress),
            should_stop=listener.should_stop,
        )
    clock.seconds["embed"] = embedder.seconds
    clock.seconds["store"] -= embedder.seconds
    take_in_done(done, wanted, known, facts, target.store, report)
    if not run.dry_run and not report.stopped:
        _finish(home, target, vault, about, report)


def _after(hidden: int, progress: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """Progress that is told without the notes that are done first."""

    def told(done: int, total: int) -> None:
        if done > hidden:
            progress(done - hidden, total - hidden)

    return told


def _finish(home: Home, target: Target, vault: str, about: Record, report: Report) -> None:
    """The time of the last good run is told without a write where nothing else is and it is told well enough."""
    meta = home.meta()
    before = meta.vaults.get(vault, {}) if meta else {}
    now = datetime.now(UTC)
    last = before.get("last_run")
    about = {**about, "last_run": now.isoformat(timespec="seconds") if report.exit_code == 0 else last}
    fresh = last is not None and now - datetime.fromisoformat(last) < WELL_ENOUGH
    same = {**about, "last_run": None} == {**before, "last_run": None}
    if target.takes_over or not (fresh and same) or report.notes_written or report.writes.total():
        finish(home, target, vault, about)


def _language(home: Home, facts: VaultFacts, *, rebuild: bool) -> str:
    """Of the store's BM25 vectors: as it was made, else the vault's main one."""
    meta = None if rebuild else home.meta()
    return str(meta.model.about.get("sparse", "")) if meta else facts.main_language()


def _told(wanted: Wanted, ahead: Forecast, report: Report, listener: Listener, rules: Rules) -> Wanted:
    """The same note, which enters the report when it is cut."""

    def build() -> Built:
        built = ahead.built.pop(wanted.note_id, None) or wanted.build()
        row = rules.types.row(built.records.note.get("type", "default"))
        if not built.records.note["excluded"]:
            report.saw(built.records, row.target)
        listener.detail(f"cut {wanted.path}: {counted(len(built.records.chunks), 'chunk')}")
        return built

    return replace(wanted, build=build)


def _refuse_other_root(home: Home, name: str, vault: Vault) -> None:
    """The recorded root is still there and is another folder: two vaults would take each other's place."""
    meta = home.meta()
    root = (meta.vaults.get(name) or {}).get("root") if meta else None
    if root and Path(root) != vault.root and Path(root).is_dir():
        raise UsageError(
            f"the index `{name}` belongs to the vault at {root}",
            where=str(vault.root),
            hint="give this vault a name of its own with `--vault-id ID`",
        )
