"""What asv runs over commits."""
