"""The stored Referer and User-Agent contain no secret of a push or account."""

from urllib.parse import quote

import pytest

from shared.domain import limits, redact
from tests.drivers.client import Api

TOKEN = "k3v9x2m7q4w8z1n6b5c0d8f7g2"
API_TOKEN = "A-b_C9dE8fG7hI6jK5lM4nO3pQ2rS1tU0vW9xY8zA7b"
MANAGE_KEY = "75hvskfknvpzvwblszx6vq5uiy"
ENCODED = "".join(f"%{ord(character):02X}" for character in TOKEN)
LINK = f"https://push.example.com/p/{TOKEN}"

HIDDEN = {
    f"https://push.example.com/p/{TOKEN}": "https://push.example.com/p/…",
    f"https://push.example.com/p/{TOKEN}/r": "https://push.example.com/p/…/r",
    f"https://push.example.com/p/{TOKEN}.json": "https://push.example.com/p/…",
    f"https://push.example.com/p/{TOKEN}/r.json": "https://push.example.com/p/…/r.json",
    f"https://push.example.com/f/{TOKEN}/preview": "https://push.example.com/f/…/preview",
    f"https://push.example.com/r/{TOKEN}": "https://push.example.com/r/…",
    f"https://push.example.com/pt-br/p/{TOKEN}": "https://push.example.com/pt-br/p/…",
    f"https://push.example.com/api/v2/pushes/{TOKEN}/audit.json": "https://push.example.com/api/v2/pushes/…/audit.json",
    f"https://push.example.com/P/{TOKEN.upper()}": "https://push.example.com/P/…",
    f"https://push.example.com//p//{TOKEN}/": "https://push.example.com//p//…/",
    f"https://push.example.com/p/{ENCODED}": "https://push.example.com/p/…",
    f"https://push.example.com%2Fp%2F{TOKEN}": "https://push.example.com/p/…",
    f"https://proxy.example/{quote(LINK, safe='')}": "https://proxy.example/https://push.example.com/p/…",
    f"https://proxy.example/{quote(quote(LINK, safe=''), safe='')}": "https://proxy.example/https://push.example.com/p/…",
    f"https://push.example.com/m/{TOKEN}/{MANAGE_KEY}": "https://push.example.com/m/…",
    f"https://push.example.com/pt-BR//m//{TOKEN}/{MANAGE_KEY[:9]}/x": "https://push.example.com/pt-BR//m//…",
    f"https://push.example.com/M/short/{MANAGE_KEY[:9]}.": "https://push.example.com/M/…",
    f"https://push.example.com%2Fm%2F{TOKEN}%2F{MANAGE_KEY}": "https://push.example.com/m/…",
    f"bot (https://push.example.com/m/{TOKEN}/{MANAGE_KEY}) 1": "bot (https://push.example.com/m/… 1",
    f"curl/8 X-Manage-Key: {MANAGE_KEY}": "curl/8 X-Manage-Key: …",
    "https://other.example/p/short_one-1": "https://other.example/p/…",
    "https://other.example/api/v2/pushes/short_one-1/audit": "https://other.example/api/v2/pushes/…/audit",
    f"https://proxy.example/{TOKEN}": "https://proxy.example/…",
    f"seen {TOKEN.upper()}, too": "seen …, too",
    f"seen x{TOKEN}x": "seen …",
    f"seen {TOKEN[:22]}": "seen …",
    f"curl/8 Bearer {API_TOKEN}": "curl/8 Bearer …",
    f"curl/8 Bearer {TOKEN}_{TOKEN[:16]}": "curl/8 Bearer …",  # and not only the part that looks like a url_token
    f"a-session={API_TOKEN.lower()}": "a-session=…",
    f"https://push.example.com/x?passphrase=opensesame&{TOKEN}": "https://push.example.com/x",
    "https://push.example.com/x%3Fpassphrase=open%20sesame": "https://push.example.com/x",
    "https://push.example.com/#opensesame": "https://push.example.com/",
    f"bot ({LINK}?passphrase=open sesame)": "bot (https://push.example.com/p/…",
    "https://ann:opensesame@push.example.com/": "https://…@push.example.com/",
}
KEPT = [
    "",
    "https://example.com/",
    "https://example.com/a%20b/",
    "curl/8.5.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "a 100% sure %zz agent",
    "😀" * 255,
]
# The worst case of 10 KB for each part of the pattern, and for the decoding.
HOSTILE = [
    "/p/",
    "/m/",
    "/",
    "//",
    "//a",
    "a" * 19 + " ",
    "%25",
    "%",
    "a",
    "-",
    "/p",
    "p/",
    "@",
    "//:",
    "%2F",
    "%252f",
    "?",
]


@pytest.mark.parametrize("sent", HIDDEN)
def test_text_with_secrets_is_redacted(sent: str) -> None:
    assert redact.redact_header(sent) == HIDDEN[sent]


@pytest.mark.parametrize("sent", KEPT)
def test_text_without_secrets_is_kept_unchanged(sent: str) -> None:
    assert redact.redact_header(sent) == sent


def test_no_half_of_a_token_is_left_where_the_header_is_cut() -> None:
    kept = [redact.redact_header(("x " * 200)[:length] + TOKEN) for length in range(200, 300)]

    assert max(map(len, kept)) == 255
    assert [header for header in kept if TOKEN[:3] in header] == []


@pytest.mark.parametrize("sent", [f"{'a b ' * 2_557}{TOKEN}", "a b " * 3_000], ids=["a token at the end", "none"])
def test_a_header_too_long_for_the_gateway_is_redacted_completely(sent: str) -> None:
    assert redact.redact_header(sent) == "…"


def test_a_value_encoded_too_often_is_redacted_completely() -> None:
    sent = LINK
    for _ in range(8):
        sent = quote(sent, safe="")

    assert redact.redact_header(sent) == "…"


@pytest.mark.timeout(5)  # it takes milliseconds; a backtracking pattern would take minutes
@pytest.mark.parametrize("part", HOSTILE)
def test_no_header_takes_for_ever(part: str) -> None:
    assert len(redact.redact_header((part * redact.MAX_SENT)[: redact.MAX_SENT])) <= limits.MAX_HEADER


def test_the_audit_log_names_no_push_but_its_own_page(bob: Api) -> None:
    other, url_token = bob.push(), bob.push()
    visitor = Api(headers={"referer": f"https://push.example.com/p/{other}/r?x", "user-agent": f"bot/1 {other}"})

    visitor.retrieve(url_token)
    entry = bob.audit(url_token).json["logs"][-1]

    assert (entry["referrer"], entry["user_agent"]) == ("https://push.example.com/p/…/r", "bot/1 …")
