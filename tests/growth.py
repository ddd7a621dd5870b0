"""How the time of some work grows with its input, told so that other programs on the machine do not matter.

A clock cannot prove that work is quick, but it can tell a step that is quadratic from one that is not: four times the
input makes the former sixteen times as slow in every try, whatever else happens. So the best of several tries of each
size counts, and a growth is believed only when no try shows a smaller one.
"""

import gc
import time
from collections.abc import Callable

TRIES = 6
CLOCK = 0.05  # seconds within which two measured times are the same


def growth_is_within(bound: float, small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Whether `large` takes at most `bound` times the CPU time of `small`."""
    first, second = [], []
    for _ in range(TRIES):
        first.append(_seconds(small))
        second.append(_seconds(large))
        if min(second) <= bound * min(first) + CLOCK:
            return True
    return False


def _seconds(work: Callable[[], object]) -> float:
    """CPU seconds, without the collection of what earlier tests have left in memory."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()
