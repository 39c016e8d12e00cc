"""Build steps: the bundle, the template, the catalogues and the generated pages."""
