import re

from infra.build import template
from shared.domain import limits


def test_every_number_of_the_contract_is_used() -> None:
    sources = [path for room in ("shared", "functions") for path in (template.ROOT / room).rglob("*.py")]
    used = {word for path in sources if path.name != "limits.py" for word in re.findall(r"\w+", path.read_text())}

    own = (template.ROOT / "shared/domain/limits.py").read_text()
    unused = {name for name in vars(limits) if name.isupper() and name not in used and own.count(name) == 1}
    assert unused == set()
