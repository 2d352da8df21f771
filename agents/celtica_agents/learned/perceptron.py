"""A multilayer perceptron run in numpy."""

from __future__ import annotations

import numpy as np
from threadpoolctl import ThreadpoolController

from celtica_agents.learned.files import Weights

# A second thread slows small networks down, on busy cores by ten times.
BLAS = ThreadpoolController().select(user_api="blas")


class Perceptron:
    """Linear layers with rectifiers between them.

    Attributes:
        layers: weight `(inputs, outputs)` and bias `(outputs,)` of each, float32.
    """

    def __init__(self, weights: Weights) -> None:
        self.layers = [
            (np.ascontiguousarray(weights[f"{k}.weight"].T), weights[f"{k}.bias"])
            for k in range(len(weights) // 2)
        ]

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Return the outputs `(n, outputs)` for inputs `(n, inputs)`."""
        with BLAS.limit(limits=1):
            hidden = inputs
            for weight, bias in self.layers[:-1]:
                hidden = np.maximum(hidden @ weight + bias, 0)
            weight, bias = self.layers[-1]
            return hidden @ weight + bias
