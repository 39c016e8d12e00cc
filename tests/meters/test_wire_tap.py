"""A tap sees only the calls of its own test."""

from concurrent.futures import ThreadPoolExecutor

from tests.engines import resources
from tests.meters import wire_tap


def list_tables() -> None:
    resources.client("dynamodb").list_tables()


def test_a_tap_sees_no_call_of_a_thread_that_ran_before_it(aws: None) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(list_tables).result()

        with wire_tap.calls() as calls:
            pool.submit(list_tables).result()

    assert calls == []


def test_a_tap_sees_the_calls_of_threads_that_begin_under_it(aws: None) -> None:
    with wire_tap.calls() as calls, ThreadPoolExecutor(1) as pool:
        pool.submit(list_tables).result()

    assert [name for name, _ in calls] == ["ListTables"]
