"""What an installation costs and carries, calculated from prices and measured units."""
