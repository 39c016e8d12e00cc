"""Metrics of our own, for what fails without an answer that says so."""

NAMESPACE = "secret-sharing"


def count(name: str, reason: str) -> None:
    """Add one to a metric, in its dimension `reason`: an error code of AWS's, never anything that a caller sent."""
    # Loaded here, since most requests count nothing.
    from aws_lambda_powertools.metrics import MetricUnit, single_metric

    with single_metric(name=name, unit=MetricUnit.Count, value=1, namespace=NAMESPACE) as metric:
        metric.add_dimension(name="reason", value=reason)
