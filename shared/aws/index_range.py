"""Read one page of an index by owner. Rows before the page are counted, not read."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from shared.aws.connection import connection
from shared.aws.table import Table
from shared.aws.tables import Pushes
from shared.domain.limits import PAGE_SIZE

Row = dict[str, dict[str, Any]]


class Range(NamedTuple):
    """An owner's rows in an index, in descending order of the sort key.

    `between` is a condition on the sort key. `where` is a filter: rows that it drops cost as much as others.
    """

    index_name: str
    owner: str
    between: Any = None
    where: Any = None
    table: type[Table] = Pushes

    def page(self, page: int) -> tuple[list[str], bool]:
        """Return the ids of one page (from 1), and whether there is a next page."""
        ids = self._ids((page - 1) * PAGE_SIZE, PAGE_SIZE + 1)
        return ids[:PAGE_SIZE], len(ids) > PAGE_SIZE

    def _ids(self, skip: int, limit: int) -> list[str]:
        """Return the ids of at least `limit` rows after the first `skip`, if there are as many.

        DynamoDB reads 1 MB per call, about 6,900 rows. The first call only counts rows to skip; the second reads the
        rows that are left to skip, and the page. The last page allowed starts at row 9,950, so two calls are enough.
        """
        counted, start = 0, None
        if skip:
            answer = self._ask(limit=skip, select="COUNT")
            counted, start = answer["Count"], answer.get("LastEvaluatedKey")
            if start is None:
                return []
        return self._read(skip - counted + limit, start)[skip - counted :]

    def _read(self, limit: int, start: Row | None) -> list[str]:
        ids: list[str] = []
        for answer in self._answers(attributes_to_get=["id"], limit=limit, exclusive_start_key=start):
            ids += [row["id"]["S"] for row in answer["Items"]]
            if len(ids) >= limit:
                break
        return ids

    def _answers(self, **how: Any) -> Iterator[Any]:
        while True:
            answer = self._ask(**how)
            yield answer
            if "LastEvaluatedKey" not in answer:
                return
            # Without a limit: rows may fail the filter, and fetching replacements one by one would take a call each.
            how |= {"limit": None, "exclusive_start_key": answer["LastEvaluatedKey"]}

    def _ask(self, **how: Any) -> Any:
        return connection().query(
            self.table.table_name(),
            self.owner,
            range_key_condition=self.between,
            filter_condition=self.where,
            index_name=self.index_name,
            scan_index_forward=False,
            **how,
        )
