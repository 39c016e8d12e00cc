"""The cost and size of an installation, calculated from prices and measured units."""
