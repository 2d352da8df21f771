"""Training, evaluation and benchmarking of agents."""
