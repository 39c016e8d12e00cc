"""QR codes as pictures inside a page, so that nothing else has to be loaded."""

from io import BytesIO
from typing import Any, NamedTuple

from markupsafe import Markup

from shared.domain.safe_repr import hide_fields


@hide_fields("svg", "data_uri")
class Picture(NamedTuple):
    """One QR code: `svg` to show, `data_uri` to download."""

    svg: Markup
    data_uri: str


def draw(text: str) -> Picture:
    """The QR code of a text, in black on white even on a dark page, so that every scanner reads it.

    Raises: DataOverflowError, when the text is too long for a QR code.
    """
    import segno  # loaded here: few pages have one

    code = segno.make(text, micro=False)
    how: dict[str, Any] = {"scale": 4, "border": 4, "dark": "#000", "light": "#fff"}
    # With its XML namespace: the official browser extension takes it out of the page and shows it by itself.
    drawing = BytesIO()
    code.save(drawing, kind="svg", xmldecl=False, nl=False, **how, omitsize=True, svgclass="qr", lineclass=None)
    return Picture(Markup(drawing.getvalue().decode()), code.svg_data_uri(**how))  # noqa: S704 (segno's own drawing, no text of anybody's)
