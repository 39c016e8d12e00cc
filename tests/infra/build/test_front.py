"""`make front`: CloudFormation as its API answers, from botocore's own stub of the service model."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.stub import ANY, Stubber

from infra.build import deploy, front, template

PARAMETERS = {"ApiId": "a1", "OriginSecret": "s3cret"}
ASKED = {
    "StackName": "s-front",
    "TemplateBody": ANY,
    "Parameters": [
        {"ParameterKey": "ApiId", "ParameterValue": "a1"},
        {"ParameterKey": "OriginSecret", "ParameterValue": "s3cret"},
    ],
}


@pytest.fixture
def cloudformation(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    client = boto3.client("cloudformation", region_name="us-east-1")
    monkeypatch.setattr(boto3, "client", lambda _service, region_name: {"us-east-1": client}[region_name])
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def describe(stubber: Stubber, status: str) -> None:
    """Answer the next DescribeStacks with a stack in this status."""
    outputs = [{"OutputKey": "FrontDomainName", "OutputValue": "d1.cloudfront.net"}]
    stack = {"StackName": "s-front", "CreationTime": "2026-01-01", "StackStatus": status, "Outputs": outputs}
    stubber.add_response("describe_stacks", {"Stacks": [stack]}, {"StackName": "s-front"})


def test_the_first_front_is_created_and_its_domain_name_returned(cloudformation: Stubber) -> None:
    cloudformation.add_response("create_stack", {}, ASKED)
    describe(cloudformation, "CREATE_COMPLETE")
    describe(cloudformation, "CREATE_COMPLETE")

    assert front.create_or_update("s-front", PARAMETERS) == "d1.cloudfront.net"


def test_a_front_that_exists_is_updated(cloudformation: Stubber) -> None:
    cloudformation.add_client_error("create_stack", "AlreadyExistsException")
    cloudformation.add_response("update_stack", {}, ASKED)
    describe(cloudformation, "UPDATE_COMPLETE")
    describe(cloudformation, "UPDATE_COMPLETE")

    assert front.create_or_update("s-front", PARAMETERS) == "d1.cloudfront.net"


def test_a_front_without_changes_is_left_alone(cloudformation: Stubber) -> None:
    cloudformation.add_client_error("create_stack", "AlreadyExistsException")
    cloudformation.add_client_error("update_stack", "ValidationError", "No updates are to be performed.")
    describe(cloudformation, "UPDATE_COMPLETE")

    assert front.create_or_update("s-front", PARAMETERS) == "d1.cloudfront.net"


def test_installations_of_one_name_in_two_regions_have_a_front_each() -> None:
    function = template.read(template.ROOT / "infra" / "front.yaml")["Resources"]["ViewerAddress"]["Properties"]["Name"]

    assert front.stack_name("s", "eu-west-1") != front.stack_name("s", "eu-central-1")
    assert function == {"Fn::Sub": "viewer-address-${ApiId}"}  # within CloudFront's 64 characters for any stack's name


def test_a_front_is_refused_before_the_stack_has_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deploy, "environment", lambda _name: {"stack_name": "s", "parameter_overrides": []})

    with pytest.raises(SystemExit, match="CloudFront=optional first"):
        front.main(["--config-env", "prod"])
