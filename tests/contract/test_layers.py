"""Rules that import-linter cannot check; `make check` runs these tests, too."""

import sys
from graphlib import TopologicalSorter

import grimp

ALLOWED_IN_DOMAIN = sys.stdlib_module_names | {"cryptography"}


def test_the_domain_imports_the_standard_library_and_cryptography_only() -> None:
    graph = grimp.build_graph("shared", include_external_packages=True, cache_dir=None)

    domain = {"shared.domain", *graph.find_descendants("shared.domain")}
    imported = {name for module in domain for name in graph.find_modules_directly_imported_by(module)}
    assert {name.partition(".")[0] for name in imported - domain} <= ALLOWED_IN_DOMAIN


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports in functions and under TYPE_CHECKING count."""
    graph = grimp.build_graph("functions", "infra", "shared", cache_dir=None)

    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError with the circle
