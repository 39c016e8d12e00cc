"""GET /f/{url_token}/r: redirect links of older servers, and other addresses of the pages for accounts."""

from urllib.parse import quote, urlencode

from shared.domain import errors
from shared.web import pages

# Password managers ask for the second (W3C, A Well-Known URL for Changing Passwords).
_ALIASES = {"/api_tokens": ("/users/token", 301), "/.well-known/change-password": ("/users/account", 303)}
_FOR_PASSWORDS = ("/.well-known/change-password",)


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Redirect as in the contract (section 9)."""
    if alias := _ALIASES.get(request.path):
        path, status = alias
        if request.path in _FOR_PASSWORDS and not request.settings.password_sign_in:
            raise errors.NotFound
        return pages.Redirect(path, status=status)
    step = request.route.partition("{url_token}")[2]
    # Keep a JSON client's query, which may hold the passphrase. In a browser, the page has a field for it.
    query = f"?{urlencode(request.query())}" if request.asks_for_json and request.query() else ""
    return pages.Redirect(f"/p/{quote(request.parameter('url_token'), safe='')}{step}{query}", status=301)
