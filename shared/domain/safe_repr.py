"""Named tuples whose `repr` leaves out secret fields: what is printed ends up in a log one day. Pure.

Values are named tuples, not dataclasses: Python makes one of those seven times as fast, and a cold start makes forty.
"""

from collections.abc import Callable
from typing import Any, TypeVar

_V = TypeVar("_V", bound=type[tuple[Any, ...]])


def hide_fields(*secret: str) -> Callable[[_V], _V]:
    """Leave these fields out of the `repr` of a class of named tuples."""

    def hide(named: _V) -> _V:
        def short_repr(self: Any) -> str:
            fields = (f"{name}={value!r}" for name, value in self._asdict().items() if name not in secret)
            return f"{type(self).__name__}({', '.join(fields)})"

        named.__repr__ = short_repr  # type: ignore[method-assign]
        return named

    return hide
