"""A Qdrant server that we speak to: the one client of qdrant-client, made when it is first needed."""

from __future__ import annotations

import ssl
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mindnet_chunker.errors import MindnetError, StoreError, UsageError
from mindnet_chunker.index.server_store.address import Address, checked_key, parse_address
from mindnet_chunker.index.server_store.transport import PASSING, RefusedError, Transport, one_line, pauses

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

ASKS = 4  # for a change that was taken, but not carried out in time
LOOKS = 2  # before the last one, for a change that other nodes may not know yet


class Server:
    """Whoever speaks to it does so within `speaking`, so that every failure is a StoreError of one line."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float,
        ca_cert: Path | None = None,
        insecure: bool = False,
        warn: Callable[[str], None] = lambda text: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`warn` is told what the user should know while it goes on. Sends nothing yet."""
        self.address: Address = parse_address(url)
        self._key = checked_key(key, self.address, insecure=insecure)
        self._timeout = timeout
        self._ca_cert = ca_cert
        self._warn = warn
        self.sleep = sleep
        self._client: QdrantClient | None = None

    @property
    def seconds(self) -> int:
        """How long the server itself may take for a change."""
        return max(1, int(self._timeout))

    @contextmanager
    def speaking(self) -> Iterator[QdrantClient]:
        if self._client is None:
            self._client = self._connect()
            self._greet(self._client)
        with self._understood():
            yield self._client

    def change(self, send: Callable[[QdrantClient], Sequence[models.UpdateResult]]) -> None:
        """Send a change until it is carried out. Each of ours can be sent again: it leaves the same behind."""
        for pause in islice(pauses(), ASKS):
            with self.speaking() as client:
                results = send(client)
            if all(result.status.value == "completed" for result in results):
                return
            self.sleep(pause)
        raise StoreError(
            "the Qdrant server took a change, but did not carry it out",
            where=str(self.address),
            hint="see what its log says, then repeat the run",
        )

    def soon(self, seen: Callable[[], bool]) -> bool:
        """Whether it is so now, or in a moment: what one node of a cluster was told, others know a little later."""
        for pause in islice(pauses(), LOOKS):
            if seen():
                return True
            self.sleep(pause)
        return seen()

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connect(self) -> QdrantClient:
        from qdrant_client import QdrantClient

        address = self.address
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the key over http: what we allow is decided in `checked_key`
            client = QdrantClient(
                host=address.authority,
                port=address.port,
                https=address.https,
                prefix=address.prefix or None,
                api_key=self._key,
                timeout=self.seconds,
                check_compatibility=False,
                verify=self._trust(),
                trust_env=not address.is_loopback,  # a proxy has no part in what stays on this machine
            )
        transport = Transport(str(address), self._timeout, secret=self._key, warn=self._warn, sleep=self.sleep)
        client.http.client.add_middleware(transport)
        return client

    def _greet(self, client: QdrantClient) -> None:
        """Compare versions, where the server tells its own."""
        try:
            with self._understood():
                version = client.info().version
        except RefusedError as error:
            if error.status in PASSING:
                raise
        except _UnintelligibleError:
            pass  # the next request tells what is wrong
        else:
            self._compare_versions(version)

    def _trust(self) -> ssl.SSLContext | bool:
        if self._ca_cert is None:
            return True
        try:
            return ssl.create_default_context(cafile=str(self._ca_cert))
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            reason = "there is no such file" if isinstance(error, FileNotFoundError) else one_line(str(error))
            raise UsageError(
                f"no certificates could be read: {reason}",
                where=str(self._ca_cert),
                hint="`--ca-cert` takes a file of certificates in PEM form",
            ) from error

    @contextmanager
    def _understood(self) -> Iterator[None]:
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException

        try:
            yield
        except MindnetError:
            raise
        except (ApiException, QdrantException, AssertionError, ValueError, KeyError, TypeError) as error:
            raise _UnintelligibleError(
                "what answers there does not speak as a Qdrant server does",
                where=str(self.address),
                hint="see that the URL is right: scheme, host, port and path; a far newer server needs a newer qdrant-client",
            ) from error

    def _compare_versions(self, server: str) -> None:
        from importlib.metadata import version

        from qdrant_client.common.version_check import is_compatible

        client = version("qdrant-client")
        if not is_compatible(client, server):
            self._warn(
                f"the Qdrant server has version {one_line(server)}, our qdrant-client {client}: they are made for each "
                "other only where at most one minor version lies between; update the older one if something fails"
            )


class _UnintelligibleError(StoreError):
    """An answer of success that is none of Qdrant's."""
