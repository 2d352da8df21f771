"""Pictures of positions and replays: as SVG, pixels, pages and in windows."""
