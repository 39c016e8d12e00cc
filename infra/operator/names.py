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
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.set_defaults(stack_name=installation.STACK_NAME)  # whatever stack the shell has the names of
    options = parser.parse_args(arguments)
    if not options.local and (endpoint := os.environ.get("AWS_ENDPOINT_URL")):
        print(
            f"These are of {endpoint}, not of AWS, as AWS_ENDPOINT_URL has it: take another terminal.", file=sys.stderr
        )
    names = installation.connect(options) | {"StackName": options.stack_name}
    if options.local:
        environment = json.loads(LOCAL.read_text())["environment"]
        names |= {name: value for name, value in environment.items() if name.startswith("AWS_")}
    for name, value in sorted(names.items()):
        print(f"export {name}={shlex.quote(value)}")
    if "AWS_ENDPOINT_URL" in os.environ | names:
        # Version 1 of the AWS CLI has `sqs` speak to AWS all the same (github.com/aws/aws-cli, issue 8737).
        print('aws() { command aws --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }')


if __name__ == "__main__":
    main()
