import pytest

from shared.domain.link_host import LinkHost, find_host


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.com/", "example.com"),
        ("HTTPS://Example.COM:8443?x", "example.com"),
        ("http://[::1]:80/", "[::1]"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("https://1.2.example/", "1.2.example"),
        ("https://evil.example?@good.example", "evil.example"),
        ("https://evil.example#@good.example", "evil.example"),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
        ("https://müller.de", "müller.de"),
        ("https://straße.de/", "straße.de"),
        ("https://日本語.jp/", "日本語.jp"),
        ("https://한국.kr/", "한국.kr"),
    ],
)
def test_a_host_is_named_as_written_where_it_cannot_be_mistaken(address: str, name: str) -> None:
    assert find_host(address) == LinkHost(name, name, has_user=False)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://\u0430\u0440\u0440\u04cf\u0435.com/", "xn--80ak6aa92e.com"),  # Cyrillic
        ("https://g\u03bf\u03bfgle.com", "xn--ggle-0nda.com"),  # Greek among Latin
        ("https://\u0131cloud.com", "xn--cloud-m4a.com"),  # i without a dot
        ("https://\u0261oogle.com", "xn--oogle-qmc.com"),  # a Latin g of phonetics
        ("https://中国bank.com", "xn--bank-zf5fw08b.com"),
        ("https://日本한국.com", "xn--wgv71au55mln7a.com"),
    ],
)
def test_letters_that_look_alike_or_mix_scripts_are_shown_as_punycode(address: str, name: str) -> None:
    host = find_host(address)

    assert host is not None
    assert (host.name, host.is_disguised) == (name, True)
    assert name.encode().decode("idna") == host.written


@pytest.mark.parametrize(
    "address",
    [
        "https://good.example\\@evil.example/",
        "https://a%2eb/",
        "https://goog\u200ble.com",
        "https://goog\u034fle.com",  # removed by browsers
        "https://goog\ufe00le.com",
        "https://good.example.\u115f.evil.example",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://127.0.0.01/",
        "https://256.0.0.1/",
        "http\u017f://example.com/",
        "https://example\u3002com/",
        "https://MÜLLER.de/",
        "https://\uff45\uff58ample.com/",
        "https://a\u2100b.example/",
        "https://example.com\n",
        "https://" + "a" * 254,
        "ftp://example.com/",
        "https:///x",
        "",
    ],
)
def test_a_host_that_browsers_may_read_differently_is_not_named(address: str) -> None:
    assert find_host(address) is None


@pytest.mark.parametrize(
    "address", ["https://accounts.example.com@evil.example/", "https://a:b@c@evil.example", "http://@evil.example"]
)
def test_user_information_is_not_the_host(address: str) -> None:
    assert find_host(address) == LinkHost("evil.example", "evil.example", has_user=True)
