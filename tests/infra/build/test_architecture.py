import re

from infra.build import architecture, permissions, template


def test_every_function_store_and_queue_is_drawn_once() -> None:
    drawing = architecture.page().split("```")[1]

    for name in template.functions():
        assert len(re.findall(rf"^        {name}$", drawing, re.MULTILINE)) == 1
    for kind in architecture.STORES:
        for name in template.resources(kind):
            assert len(re.findall(rf"^    {name}\W*\"{name}\"", drawing, re.MULTILINE)) == 1


def test_a_function_s_arrows_match_its_permissions() -> None:
    assert architecture.uses("RetrievePush")["Secrets"] == {"reads", "writes"}
    assert architecture.uses("PreviewPush") == {
        "Pushes": {"reads"},
        "ApiTokens": {"reads", "writes"},
        "UserPool": {"reads"},
    }
    for function in template.functions():
        named = {resource.split("/")[0].split(".")[0] for _, resource in permissions.permissions(function)}
        elsewhere = {"FunctionLogs", "MailIdentityArn", "MailReports"}  # not drawn: they store no data of ours
        assert architecture.uses(function).keys() == named - elsewhere


def test_the_way_of_a_mailing_is_drawn() -> None:
    drawing = architecture.page()

    for arrow in (
        "AuditEntries -.->|calls| PublishEvents",
        "PublishEvents -->|writes| Events",
        "Events -.->|forwards to| Mails",
        "Mails -.->|calls| SendMail",
        "Mails -.->|after failures| FailedMails",
    ):
        assert arrow in drawing


def test_the_way_of_a_removal_is_drawn() -> None:
    drawing = architecture.page()

    for arrow in (
        "Secrets -.->|calls| ScheduleRemoval",
        "Removals -.->|calls| RemoveObjects",
        "Removals -.->|after failures| FailedRemovals",
    ):
        assert arrow in drawing


def test_scheduled_functions_are_drawn() -> None:
    assert '    schedule(["rate(5 minutes)"]) -.->|calls| Probe\n' in architecture.page()
