"""GET /f/{url_token}/r: links of older servers, and another name of the page of API tokens."""

from urllib.parse import quote, urlencode

from shared.web import pages


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Answer with the place that the contract names (section 9)."""
    if request.route.endswith("/api_tokens"):
        return pages.Redirect("/users/token", status=301)
    step = request.route.partition("{url_token}")[2]
    # What asks for JSON brings its passphrase along; a browser is asked for it again.
    query = f"?{urlencode(request.query())}" if request.asks_for_json and request.query() else ""
    return pages.Redirect(f"/p/{quote(request.parameter('url_token'), safe='')}{step}{query}", status=301)
