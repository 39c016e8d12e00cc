"""Deployment: label the instance key, so that no rotation loses what it sealed."""

from shared.service import cold_start, pushes
from shared.web import deployments

cold_start.make_clients("secretsmanager")

handler = deployments.custom_resource(pushes.label_instance_keys)
