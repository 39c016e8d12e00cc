"""Code that deploys and operates the service. The functions do not import it."""
