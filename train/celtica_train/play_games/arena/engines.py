"""Where blocks are played: in this process, in several, or on a cluster, with the same result."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from celtica_env import Agent, register_package
from celtica_env.errors import CelticaError, OptionError
from celtica_train.play_games.arena.blocks import BlockRows, load_agents, play_block
from celtica_train.play_games.arena.design import Design

Engine = Callable[[Iterable[int]], Generator[BlockRows]]
"""Plays blocks and yields what they add, in any order; when closed, it stops."""


class WorkerError(CelticaError, RuntimeError):
    """A process that played games has died."""


def local(design: Design, sources: Sequence[str | Agent]) -> Engine:
    """Return an engine that plays in this process, one block after the other."""
    agents = load_agents(sources, design)
    return lambda blocks: (play_block(design, agents, block) for block in blocks)


def processes(
    design: Design, sources: Sequence[str | Agent], num_workers: int, package: str | None
) -> Engine:
    """Return an engine that plays in several processes, which end with this one.

    Raises:
        OptionError: an agent is an object that cannot be sent to another process.
    """
    check_sendable(sources)
    context = multiprocessing.get_context("spawn")

    def run(blocks: Iterable[int]) -> Generator[BlockRows]:
        arguments = (design, sources, package)
        pool = ProcessPoolExecutor(num_workers, context, begin_work, arguments)
        try:
            for done in as_completed([pool.submit(work, block) for block in blocks]):
                yield done.result()
        except BrokenProcessPool as error:
            raise WorkerError(
                "a process that played games has died, perhaps for want of memory; the games "
                "stored are whole, and the same command goes on, with fewer --workers if need be"
            ) from error
        finally:
            end_pool(pool)

    return run


def check_sendable(sources: Sequence[str | Agent]) -> None:
    """Refuse agents that cannot be sent to another process.

    Raises:
        OptionError: names the agent.
    """
    for source in sources:
        try:
            pickle.dumps(source)
        except Exception as error:  # whatever an agent's own code may raise
            name = source if isinstance(source, str) else source.name
            raise OptionError(
                f"the agent {name!r} cannot be sent to another process ({error}); name it by its "
                "place, my_module:MyAgent, or play with one worker"
            ) from error


def end_pool(pool: ProcessPoolExecutor) -> None:
    """End a pool at once, whatever it is doing."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def on_ray(design: Design, sources: Sequence[str | Agent], package: str | None) -> Engine:
    """Return an engine that plays on a Ray cluster, or on all cores here if none is running.

    Raises:
        OptionError: Ray is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise OptionError("--engine ray needs Ray: pip install 'celtica-env[ray]'") from error

    class Worker:
        def __init__(self) -> None:
            begin_work(design, sources, package, is_own=False)

        def work(self, block: int) -> BlockRows:
            return work(block)

    make_worker = ray.remote(Worker).remote

    def run(blocks: Iterable[int]) -> Generator[BlockRows]:
        ray.init(ignore_reinit_error=True, log_to_driver=False)
        workers = [make_worker() for _ in range(int(ray.cluster_resources().get("CPU", 1)))]
        pool = ray.util.ActorPool(workers)
        yield from pool.map_unordered(lambda worker, block: worker.work.remote(block), list(blocks))

    return run


# --- in a worker ---------------------------------------------------------------------------------

_work: dict[str, Any] = {}  # of this process: its design and agents


def begin_work(
    design: Design, sources: Sequence[str | Agent], package: str | None, is_own: bool = True
) -> None:
    """Prepare a process for its blocks; if it is this program's own, let it end with its parent."""
    if is_own:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
        threading.Thread(target=end_with_parent, daemon=True).start()
    if package is not None:
        register_package(package)
    _work.update(design=design, agents=load_agents(sources, design))


def end_with_parent() -> None:
    """End this process when its parent ends, even by a kill."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def work(block: int) -> BlockRows:
    """Play a block in a worker."""
    return play_block(_work["design"], _work["agents"], block)
