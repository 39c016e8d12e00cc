"""The kinds of push (specification, section 3). Pure."""

TEXT, FILE, URL, QR = "text", "file", "url", "qr"
KINDS = (TEXT, FILE, URL, QR)
