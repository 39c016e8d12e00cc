"""Print the names of a stack's resources for a shell, as docs/operations.md uses them: $Pushes, $Bucket, and so on.

eval "$(.venv/bin/python -m infra.operator.names)"
eval "$(.venv/bin/python -m infra.operator.names --local)"    # and have `aws` speak to the running local stack
"""

import argparse
import json
import os
import shlex
import sys

from infra.local import LOCAL
from infra.operator import installation


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.set_defaults(stack_name=installation.STACK_NAME)  # even if the shell has the names of another stack
    options = parser.parse_args(arguments)
    if not options.local and (endpoint := os.environ.get("AWS_ENDPOINT_URL")):
        print(f"AWS_ENDPOINT_URL points to {endpoint}, not to AWS: use another terminal.", file=sys.stderr)
    names = installation.connect(options) | {"StackName": options.stack_name}
    if options.local:
        environment = json.loads(LOCAL.read_text())["environment"]
        names |= {name: value for name, value in environment.items() if name.startswith("AWS_")}
    for name, value in sorted(names.items()):
        print(f"export {name}={shlex.quote(value)}")
    if "AWS_ENDPOINT_URL" in os.environ | names:
        # Version 1 of the AWS CLI calls AWS for `sqs` despite the variable (github.com/aws/aws-cli, issue 8737).
        print('aws() { command aws --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }')


if __name__ == "__main__":
    main()
