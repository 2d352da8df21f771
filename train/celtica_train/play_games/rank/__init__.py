"""How good is an agent: its place beside agents that never change."""
