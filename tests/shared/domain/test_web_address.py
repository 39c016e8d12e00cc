import pytest

from shared.domain import web_address

WEB_ADDRESSES = [
    "http://example.com",
    "https://example.com/",
    "HTTPS://EXAMPLE.COM/A?b=c&d#e",
    "https://user:pass@example.com:8443/",
    "http://192.0.2.1/",
    "http://[2001:db8::1]:80/",
    "http://localhost",
    "https://bücher.example/ü?ü",
    "https://example.com/%20%00",
    "https://example.com?a",
]
NO_WEB_ADDRESSES = [
    "example.com",
    "/path",
    "//example.com/",
    "http:",
    "http:/example.com",
    "http://",
    "http:///path",
    "http://:80/",
    "http://user@/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "data:text/html,a",
    "mailto:a@example.com",
    "http://example.com:port/",
    "http://example.com:65536/",
    "http://example.com:0/",
    "http://[::1",
    "http://exa mple.com/",
    " http://example.com/",
    "http://example.com/ ",
    "http://example.com/\n",
    "ht\ntp://example.com/",
    "http://example.com/\ta",
    "http:\\\\example.com\\",
    "https://example.com\\@example.org/",
    "http://example.com/\x7f",
]


@pytest.mark.parametrize("value", WEB_ADDRESSES)
def test_an_absolute_http_url_with_a_host_is_a_web_address(value: str) -> None:
    assert web_address.is_web_address(value)


@pytest.mark.parametrize("value", NO_WEB_ADDRESSES, ids=repr)
def test_anything_else_is_no_web_address(value: str) -> None:
    assert not web_address.is_web_address(value)
