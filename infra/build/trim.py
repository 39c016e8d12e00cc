"""Remove data from the bundle that no function reads, because every cold start would parse it.

Removed are the documentation in botocore's service descriptions, other services' endpoints, and Babel's data except
dates, numbers, units and lists in the served languages. bundle.py runs this module after installing both packages.
Babel's data is unpickled with Babel.
"""

import gzip
import json
import pickle
import sys
from pathlib import Path
from typing import Any

from shared.domain.languages import SERVED

# The services that the functions call; botocore describes 400 more.
SERVICES = {"cognito-idp", "dynamodb", "events", "s3", "secretsmanager", "sesv2", "sqs"}
# Unused parts of a locale: names of places, languages and currencies, and formats that no page shows.
UNREAD_OF_LOCALES = {
    "compact_currency_formats",
    "compact_decimal_formats",
    "compound_unit_patterns",
    "currency_names",
    "currency_names_plural",
    "currency_symbols",
    "currency_unit_patterns",
    "date_fields",
    "datetime_skeletons",
    "interval_formats",
    "languages",
    "meta_zones",
    "scripts",
    "territories",
    "time_zones",
    "unit_display_names",
    "variants",
    "zone_formats",
}
UNREAD_OF_THE_WORLD = {
    "all_currencies",
    "currency_fractions",
    "meta_zones",
    "territory_currencies",
    "territory_languages",
    "territory_zones",
    "windows_zone_mapping",
    "zone_aliases",
    "zone_territories",
}
UNITS = ("digital-", "duration-")  # the units that pages show


def trim(packages: Path) -> None:
    """Trim the data of the packages in a directory."""
    services(packages / "botocore" / "data")
    locales(packages / "babel")


def services(data: Path) -> None:
    """Remove documentation and examples, and the endpoints of unused services."""
    for path in data.glob("*/*/service-2.json.gz"):
        model = json.loads(gzip.decompress(path.read_bytes()))
        for part in ("operations", "shapes"):  # botocore expects it elsewhere
            model[part] = _without_documentation(model[part])
        path.write_bytes(gzip.compress(_json(model), mtime=0))
    for path in data.glob("*/*/examples-1.json"):
        path.unlink()
    endpoints = json.loads((data / "endpoints.json").read_bytes())
    for partition in endpoints["partitions"]:
        partition["services"] = {name: one for name, one in partition["services"].items() if name in SERVICES}
    (data / "endpoints.json").write_bytes(_json(endpoints))


def locales(babel: Path) -> None:
    """Remove locale data that no page shows, and other languages; Babel has 1,100."""
    wanted = locales_read()
    for path in (babel / "locale-data").glob("*.dat"):
        if path.stem not in wanted:
            path.unlink()
            continue
        known = pickle.loads(path.read_bytes())  # noqa: S301 (Babel's own)
        names = {name: value for name, value in known.items() if name not in UNREAD_OF_LOCALES}
        names["unit_patterns"] = {unit: one for unit, one in names["unit_patterns"].items() if unit.startswith(UNITS)}
        path.write_bytes(pickle.dumps(names, protocol=pickle.HIGHEST_PROTOCOL))
    path = babel / "global.dat"
    known = pickle.loads(path.read_bytes())  # noqa: S301 (as above)
    names = {name: value for name, value in known.items() if name not in UNREAD_OF_THE_WORLD}
    path.write_bytes(pickle.dumps(names, protocol=pickle.HIGHEST_PROTOCOL))


def locales_read() -> set[str]:
    """Return Babel's names of the served languages' locales and of the locales that these inherit from."""
    from babel.core import get_global

    from shared.web.languages import locale

    wanted, exceptions = {"root"}, get_global("parent_exceptions")
    for tag in SERVED:
        name = str(locale(tag))
        while name not in wanted:
            wanted.add(name)
            name = exceptions.get(name) or name.rpartition("_")[0] or "root"
    return wanted


def _without_documentation(model: Any) -> Any:
    if isinstance(model, list):
        return [_without_documentation(one) for one in model]
    if not isinstance(model, dict):
        return model
    # A shape may have a member named "documentation". Documentation is a text, the member an object.
    is_text = isinstance(model.get("documentation"), str)
    return {
        name: _without_documentation(one) for name, one in model.items() if not (is_text and name == "documentation")
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


if __name__ == "__main__":
    trim(Path(sys.argv[1]))
