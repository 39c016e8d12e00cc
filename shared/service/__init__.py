"""The use cases, one function each.

Arguments are plain values, results are domain values, errors come from `domain/errors.py`. `now` is in UTC.
"""
