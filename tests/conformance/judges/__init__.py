"""Those who are asked about hotplate (Heat's engine, PyPI yaql, OpenTofu, …), and the comparisons with their answers."""
