"""Schedule: probe the installation from outside, end to end."""

from shared import probe
from shared.web import probes

handler = probes.measured(probe.run)
