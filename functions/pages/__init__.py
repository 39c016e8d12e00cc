"""The pages for those who would rather click, one module per page or family of forms."""
