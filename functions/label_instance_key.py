"""Deployment: label the instance key, so that no rotation loses what it sealed."""

from shared import service
from shared.web import deployments

handler = deployments.custom_resource(service.keep_instance_keys)
