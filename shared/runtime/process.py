"""The cold start of this process: whether it is over, and the garbage collector, which is off until then."""

import gc
import os


class _Process:
    """Whether this process has served nothing yet."""

    is_cold = True


def pause_garbage_collection() -> None:
    """Turn the garbage collector off while a function is loaded: it would find nothing, at a tenth of a cold start.

    Outside of Lambda it stays on.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        gc.disable()


def begin_serving() -> bool:
    """Whether this is the first invocation. If it is, the garbage collector is turned on again.

    It then skips all that was made before (`gc.freeze`), which lives as long as the process.
    """
    is_cold, _Process.is_cold = _Process.is_cold, False
    if is_cold and not gc.isenabled():
        gc.freeze()
        gc.enable()
    return is_cold
