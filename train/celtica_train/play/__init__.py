"""People play against agents, on a page in the browser or in the terminal."""
