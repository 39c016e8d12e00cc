"""The use cases, one function each.

Arguments are plain values, results are domain values, refusals are raised (`domain/errors.py`). `now` is in UTC.
"""
