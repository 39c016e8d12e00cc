"""Whether the process has served anything yet, and how Python looks for garbage until then and afterwards."""

import gc
import os


class _Process:
    """Whether this process has served nothing yet."""

    is_cold = True


def loading() -> None:
    """Look for no garbage while a function is loaded: all that it makes is kept, and looking is a tenth of the work.

    Outside of Lambda nothing changes.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        gc.disable()


def serving() -> bool:
    """Note that this process serves; whether it is the first time, after which Python looks for garbage as ever.

    What was there before is never looked at again.
    """
    is_cold, _Process.is_cold = _Process.is_cold, False
    if is_cold and not gc.isenabled():
        gc.freeze()
        gc.enable()
    return is_cold
