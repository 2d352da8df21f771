"""Agents that play through views: random, greedy, learned policies."""
