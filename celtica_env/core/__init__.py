"""What every game shares: registry, batch engine, compilation, random streams, views."""
