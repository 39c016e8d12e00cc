"""Deployment: label the instance key, so that no rotation loses what it sealed."""

from shared import cold_start, service
from shared.web import deployments

cold_start.make_clients("secretsmanager")

handler = deployments.custom_resource(service.keep_instance_keys)
