"""Named tuples that are printed without what is secret: whatever is printed ends up in a log one day. Pure.

Values are named tuples, not dataclasses: Python makes one of those seven times as fast, and a cold start makes forty.
"""

from collections.abc import Callable
from typing import Any, TypeVar

_V = TypeVar("_V", bound=type[tuple[Any, ...]])


def hide_fields(*secret: str) -> Callable[[_V], _V]:
    """Have the named tuples of a class be printed without these fields."""

    def hide(named: _V) -> _V:
        def printed(self: Any) -> str:
            shown = (f"{name}={value!r}" for name, value in self._asdict().items() if name not in secret)
            return f"{type(self).__name__}({', '.join(shown)})"

        named.__repr__ = printed  # type: ignore[method-assign]
        return named

    return hide
