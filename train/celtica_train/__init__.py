"""Training, evaluation and benchmarking of agents."""

import os

# One thread for linear algebra, set before numpy is imported: a second one slows small networks
# down, and on shared cores by several times.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
