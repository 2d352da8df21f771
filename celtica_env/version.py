"""The package version, kept apart so that build tools need not import the package."""

__version__ = "0.1.0"
