"""What an agent loses a decision: positions of strong play whose actions were valued beforehand."""
