"""Schedule: probe the installation from outside, end to end."""

from shared.service import probe
from shared.web import probe_edge

handler = probe_edge.probe_handler(probe.run)
