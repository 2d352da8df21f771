"""In place of threadpoolctl: there is one thread."""

from contextlib import AbstractContextManager, nullcontext


class ThreadpoolController:
    """Limits nothing."""

    def select(self, user_api: str) -> "ThreadpoolController":
        """Return itself."""
        return self

    def limit(self, limits: int) -> AbstractContextManager[None]:
        """Do nothing."""
        return nullcontext()
