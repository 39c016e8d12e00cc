"""`make bench`: how fast and how dear the service is, beside what it is made of, measured in one run on one machine.

Nothing timed is a test: machines differ, and a busy one lies. What is exact, such as calls and units, has tests.
"""
