"""GET /f/{url_token}/r: redirect links of older servers, and an alias of the API tokens page."""

from urllib.parse import quote, urlencode

from shared.web import pages


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Redirect as in the contract (section 9)."""
    if request.route.endswith("/api_tokens"):
        return pages.Redirect("/users/token", status=301)
    step = request.route.partition("{url_token}")[2]
    # Keep a JSON client's query, which may hold the passphrase. In a browser, the page has a field for it.
    query = f"?{urlencode(request.query())}" if request.asks_for_json and request.query() else ""
    return pages.Redirect(f"/p/{quote(request.parameter('url_token'), safe='')}{step}{query}", status=301)
