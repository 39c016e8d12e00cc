"""Deployment: label the instance key, so that no rotation loses what it sealed."""

from shared import deployments, service

handler = deployments.custom_resource(service.keep_instance_keys)
