"""Learning curves of runs that differ in their seed, in one picture.

    for seed in 0 1 2; do celtica train --seed $seed --out runs/seed$seed; done
    python benchmarks/learning_curves.py runs/seed? --out docs/learning_curve.png

Each line is one run, its band the 95 % interval of each evaluation.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from celtica_train.report import plot_learning_curves


def main() -> None:
    """Read the runs' curves and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument("--out", type=Path, required=True, help="picture to write, PNG")
    arguments = parser.parse_args()
    curves = {}
    for run in arguments.runs:
        config = json.loads((run / "config.json").read_text("utf-8"))
        lines = (run / "curve.jsonl").read_text("utf-8").splitlines()
        curves[f", seed {config['seed']}"] = [json.loads(line) for line in lines]
    title = f"{config['game']}, {config['players']} players, trainer {config['trainer']}"
    plot_learning_curves(curves, arguments.out, title)


if __name__ == "__main__":
    main()
