"""The games as environments of other libraries; nothing here knows a game by name."""
