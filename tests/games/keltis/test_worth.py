"""The values of positions: what is looked up is what would be computed."""

import numpy as np

from celtica_env.games.keltis import worth


def test_the_column_of_a_row_that_is_looked_up_is_the_one_computed():
    ends = worth.COLUMN_ENDS[worth.COLUMN_ENDS < worth.NUM_NUMBERS]
    random = np.random.default_rng(0).uniform(0, worth.NUM_NUMBERS, 5000)
    cells = np.arange(worth.NUM_NUMBERS * worth.CELLS) / worth.CELLS
    for is_empty in range(2):
        for coming in np.concatenate([ends, np.nextafter(ends, 0), random, cells]).tolist():
            column = worth.CELL_COLUMNS[is_empty, int(coming * worth.CELLS)]
            column += coming >= worth.COLUMN_ENDS[is_empty, column]
            assert column == int(
                coming**worth.SKIPPED * (worth.EMPTY if is_empty else 1) * worth.STEPS + 0.5
            )
