"""Create a stack from the resources kept by `sam delete`: tables, bucket, accounts and instance key.

python -m infra.operator.adopt Pushes=secret-sharing-Pushes-1A2B Bucket=… InstanceKey=arn:… UserPool=us-east-1_… …

Then deploy over it (docs/operations.md).
"""

import argparse
import json
import re
from typing import Any

import boto3

from infra.build import template

# CloudFormation's identifiers by type (`aws cloudformation get-template-summary`, ResourceIdentifierSummaries).
IDENTIFIERS = {
    "AWS::DynamoDB::Table": "TableName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SecretsManager::Secret": "Id",
    "AWS::Cognito::UserPool": "UserPoolId",
}
_CHANGES = "adopt"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack-name", default="secret-sharing", help="the CloudFormation stack to create")
    parser.add_argument("resources", nargs="+", help="Name=identifier, for each of: " + ", ".join(adoptable()))
    options = parser.parse_args(arguments)
    named = dict(resource.split("=", 1) for resource in options.resources if "=" in resource)
    if len(named) != len(options.resources) or not named.keys() <= adoptable().keys():
        parser.error("Name=identifier, where Name is one of " + ", ".join(adoptable()))
    adopt(boto3.client("cloudformation"), options.stack_name, named)
    print(f"{options.stack_name} has {', '.join(sorted(named))}. Now deploy over it.")


def adopt(cloudformation: Any, stack_name: str, named: dict[str, str]) -> None:
    """Import the resources, identifiers by logical id, into an empty stack; wait until it is done."""
    names = {"StackName": stack_name, "ChangeSetName": _CHANGES}
    imports = [
        {
            "ResourceType": adoptable()[name]["Type"],
            "LogicalResourceId": name,
            "ResourceIdentifier": {IDENTIFIERS[adoptable()[name]["Type"]]: identifier},
        }
        for name, identifier in named.items()
    ]
    body = json.dumps(template_of(named))
    cloudformation.create_change_set(**names, ChangeSetType="IMPORT", TemplateBody=body, ResourcesToImport=imports)
    cloudformation.get_waiter("change_set_create_complete").wait(**names)
    cloudformation.execute_change_set(**names)
    cloudformation.get_waiter("stack_import_complete").wait(StackName=stack_name)


def adoptable() -> dict[str, dict[str, Any]]:
    """Return the resources that can outlive their stack, by logical id; conditional ones are created again instead."""
    resources = template.load()["Resources"].items()
    return {name: one for name, one in resources if one["Type"] in IDENTIFIERS and "Condition" not in one}


def template_of(names: Any) -> dict[str, Any]:
    """Return a template of these resources alone, because an import cannot create others."""
    whole = template.load()
    resources = {name: adoptable()[name] for name in names}
    text = json.dumps(resources)
    conditions = {name: condition for name, condition in whole["Conditions"].items() if f'"{name}"' in text}
    references = re.findall(r'"Ref": "(\w+)"', json.dumps([resources, conditions]))
    parameters = {name: parameter for name, parameter in whole["Parameters"].items() if name in references}
    return {"Parameters": parameters, "Conditions": conditions, "Resources": resources}


if __name__ == "__main__":
    main()
