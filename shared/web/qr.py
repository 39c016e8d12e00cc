"""QR codes as inline SVG, so that a page needs no further request."""

from io import BytesIO
from typing import Any, NamedTuple

from markupsafe import Markup

from shared.domain.safe_repr import hide_fields


@hide_fields("svg", "data_uri")
class Picture(NamedTuple):
    """A QR code: `svg` to show, `data_uri` to download."""

    svg: Markup
    data_uri: str


def draw(text: str) -> Picture:
    """Return the QR code of a text. It is black on white even in dark mode, because some scanners need that.

    Raises: DataOverflowError, if the text is too long for a QR code.
    """
    import segno  # imported here: few pages show a QR code

    code = segno.make(text, micro=False)
    how: dict[str, Any] = {"scale": 4, "border": 4, "dark": "#000", "light": "#fff"}
    # Keep the XML namespace: Password Pusher's browser extension shows the SVG outside of the page.
    drawing = BytesIO()
    code.save(drawing, kind="svg", xmldecl=False, nl=False, **how, omitsize=True, svgclass="qr", lineclass=None)
    return Picture(Markup(drawing.getvalue().decode()), code.svg_data_uri(**how))  # noqa: S704 (segno's SVG contains no user text)
