"""Metrics as Prometheus reads them."""

from prometheus_client.parser import text_string_to_metric_families


def samples(text: bytes) -> dict[str, float]:
    """Return every sample in *text* by its name and labels, such as ``name{label=value}``."""
    values = {}
    for family in text_string_to_metric_families(text.decode()):
        assert family.documentation
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            values[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return values
