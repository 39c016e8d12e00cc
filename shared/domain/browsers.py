"""Which browser or program a request came from, by its user agent, as a name that people know. Pure.

A mail quotes nothing that a caller wrote: it says one of these names or that it does not know.
"""

# The first that is there decides: most browsers name others too, to get the pages that those get.
_FAMILIES = (
    *(("pwpush-cli/", "pwpush"), ("pwpush-mcp/", "pwpush-mcp")),
    *(
        ("Edg/", "Edge"),
        ("EdgA/", "Edge"),
        ("EdgiOS/", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
    ),
    *(("Vivaldi/", "Vivaldi"), ("YaBrowser/", "Yandex Browser"), ("FxiOS/", "Firefox"), ("Firefox/", "Firefox")),
    *(("CriOS/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari")),
    *(("PowerShell/", "PowerShell"), ("curl/", "curl"), ("Wget/", "Wget"), ("python-requests/", "Python")),
    *(("python-httpx/", "Python"), ("Python-urllib/", "Python"), ("Go-http-client/", "Go"), ("Ruby", "Ruby")),
)


def family(user_agent: str) -> str:
    """The name of what sent a request with this header, empty for what is not known."""
    return next((name for sign, name in _FAMILIES if sign in user_agent), "")
