"""What is raised, and when."""

from celtica_env.core.errors import *  # noqa: F403, every name is public
