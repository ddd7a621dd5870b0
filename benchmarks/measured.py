"""A command -> its wall seconds, CPU seconds and peak memory.

The peak is the kernel's figure for the whole life of the process, and begins with that of the process that started it:
whoever measures must stay small itself, so the scripts here read and make nothing large before they call.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

UNIT = 1 if sys.platform == "darwin" else 1024  # bytes, of `ru_maxrss`
NOTHING = Path(os.devnull)
COMMAND = (sys.executable, "-m", "mindnet_chunker")


class Run(NamedTuple):
    seconds: float
    cpu_seconds: float  # of all its threads and of processes it waited for
    peak_mb: float

    def row(self, name: str) -> str:
        return f"{name:<40} {self.seconds:9.2f} s {self.cpu_seconds:9.2f} s CPU {self.peak_mb:8,.0f} MB peak"


def measure(command: Sequence[str], *, stdin: Path | None = None, stdout: Path | None = None) -> Run:
    """Run to the end. What it says goes to stderr only if it fails; then the benchmark ends too."""
    with (stdin or NOTHING).open("rb") as given, (stdout or NOTHING).open("wb") as printed:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=printed, stderr=subprocess.PIPE)
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}\n{said.decode(errors='replace')[-2000:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * UNIT / 1e6)
