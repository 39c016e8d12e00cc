"""Deploy infra/front.yaml, CloudFront and its firewall, before an installation: `make front ENV=prod`.

The stack is in us-east-1, because CloudFront's certificate and firewall must be there. CloudFormation gets the origin
secret as a parameter that it never shows, and no command line has it.
"""

import argparse
import sys
from typing import Any

import boto3
from botocore.exceptions import ClientError

from infra.build import deploy, template
from infra.operator import installation

_REGION = "us-east-1"
_PATH = template.ROOT / "infra" / "front.yaml"


def main(arguments: list[str] | None = None) -> None:
    """Find the installation, deploy the front, print what to set next."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config-env", required=True, help="an environment of samconfig.toml")
    parser.add_argument("--certificate-arn", default="", help="ACM's certificate for DomainName, in us-east-1")
    options = parser.parse_args(arguments)
    config = deploy.environment(options.config_env)
    values = deploy.parameters(config)
    if values["CloudFront"] == "off":
        sys.exit("Deploy with CloudFront=optional first: it creates the secret that CloudFront sends.")
    region = installation.use_region()
    installation.print_account(config["stack_name"])
    ids = installation.find_resources(config["stack_name"])
    secret = boto3.client("secretsmanager").get_secret_value(SecretId=ids["OriginSecret"])["SecretString"]
    parameters = {
        "ApiId": ids["Api"],
        "ApiRegion": region,
        "OriginSecret": secret,
        "DomainName": values["DomainName"],
        "CertificateArn": options.certificate_arn,
    }
    domain_name = create_or_update(stack_name(config["stack_name"], region), parameters)
    print(f"CloudFront answers. Next, set FrontDomainName={domain_name} and deploy again.")


def stack_name(installation_name: str, region: str) -> str:
    """Return the name of the front's stack. It has the installation's region, because all fronts are in us-east-1."""
    return f"{installation_name}-front-{region}"


def create_or_update(stack_name: str, parameters: dict[str, str]) -> str:
    """Create the stack in us-east-1, or update it, and return its FrontDomainName.

    Raises: ClientError, WaiterError, if CloudFormation rejects the stack or fails.
    """
    cloudformation = boto3.client("cloudformation", region_name=_REGION)
    asked: dict[str, Any] = {
        "StackName": stack_name,
        "TemplateBody": _PATH.read_text(),
        "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    }
    try:
        cloudformation.create_stack(**asked)
        cloudformation.get_waiter("stack_create_complete").wait(StackName=stack_name)
    except cloudformation.exceptions.AlreadyExistsException:
        try:
            cloudformation.update_stack(**asked)
        except ClientError as error:
            if "No updates are to be performed" not in str(error):
                raise
        else:
            cloudformation.get_waiter("stack_update_complete").wait(StackName=stack_name)
    [stack] = cloudformation.describe_stacks(StackName=stack_name)["Stacks"]
    return str({one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}["FrontDomainName"])


if __name__ == "__main__":
    main()
