"""Trying again what others were in the way of."""

import random
import time
from collections.abc import Iterable, Iterator


def after(pauses: Iterable[float]) -> Iterator[None]:
    """One try after each pause, in seconds, of which a random part is waited: who met once is not to meet again."""
    for pause in pauses:
        time.sleep(random.uniform(0, pause))
        yield
