"""The parts of the harness: each has `run(figures, full)` and judges one thing that hotplate does."""
