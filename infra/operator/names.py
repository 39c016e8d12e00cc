"""Print the names of a stack's resources for a shell, as docs/runbook.md uses them: $Pushes, $Bucket, and so on.

eval "$(.venv/bin/python -m infra.operator.names)"
eval "$(.venv/bin/python -m infra.operator.names --local)"    # and have `aws` speak to the running local stack
"""

import argparse
import json
import shlex

from infra.local import LOCAL
from infra.operator import installation


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    options = parser.parse_args(arguments)
    names = installation.connect(options) | {"StackName": options.stack_name}
    if options.local:
        names |= json.loads(LOCAL.read_text())["environment"]
    for name, value in sorted(names.items()):
        print(f"export {name}={shlex.quote(value)}")


if __name__ == "__main__":
    main()
