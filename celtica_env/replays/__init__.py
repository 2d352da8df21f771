"""Games kept as data, and played again."""
