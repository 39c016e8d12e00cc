"""GET /f/{url_token}: links of older servers, and another name of the page of API tokens."""

from urllib.parse import quote

from shared import site


@site.page
def handler(request: site.Request) -> site.Answer:
    """Answer with the place that the contract names (section 9)."""
    if request.route.endswith("/api_tokens"):
        return site.Elsewhere("/users/token", status=301)
    step = "/r" if request.route.endswith("/r") else ""
    return site.Elsewhere(f"/p/{quote(request.parameter('url_token'), safe='')}{step}", status=301)
