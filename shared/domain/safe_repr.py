"""Named tuples with a `repr` that leaves out secret fields, because it may be logged. Pure.

Values are named tuples, not dataclasses: Python creates the class seven times as fast, and a cold start creates forty.
"""

from collections.abc import Callable
from typing import Any, TypeVar

_V = TypeVar("_V", bound=type[tuple[Any, ...]])


def hide_fields(*secret: str) -> Callable[[_V], _V]:
    """Return a class decorator to leave these fields out of a named tuple's `repr`."""

    def hide(named: _V) -> _V:
        def short_repr(self: Any) -> str:
            fields = (f"{name}={value!r}" for name, value in self._asdict().items() if name not in secret)
            return f"{type(self).__name__}({', '.join(fields)})"

        named.__repr__ = short_repr  # type: ignore[method-assign]
        return named

    return hide
