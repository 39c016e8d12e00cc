"""`make bench`: performance and cost of the service and of its parts, measured in one run on one machine.

No test depends on time, because machines differ and may be busy. Exact numbers, such as calls and units, have tests.
"""
