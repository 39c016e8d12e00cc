"""Deployment: label every version of the instance key, so that rotation keeps them."""

from shared.service import cold_start, pushes
from shared.web import deployments

cold_start.make_clients("secretsmanager")

handler = deployments.custom_resource(pushes.label_instance_keys)
