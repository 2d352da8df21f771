"""A batch on a GPU is the same as one on the processor, as far as can be seen without a GPU.

numba's CUDA simulator runs the kernels as plain Python. Where numba-cuda is installed, the full
check also runs the code that it makes for a GPU on the processor, and compiles it for a GPU.
"""

import copy
import importlib.util
import pickle
from types import SimpleNamespace

import gymnasium
import numba
import pytest

import celtica_env
from celtica_env import celtica_v0
from celtica_env.core import cuda_batch
from celtica_env.core.errors import DeviceError, MissingLibraryError, OptionError
from celtica_env.core.registry import load_game
from celtica_env.wrappers.sb3 import SeatVecEnv
from tests.core.cuda_play import STEPS
from tests.core.processes import finish, start_python
from tests.each_game import each_game

SIMULATOR = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
FEW_STEPS = 9
NUMBA_CUDA = importlib.util.find_spec("numba_cuda")
needs_numba_cuda = pytest.mark.skipif(
    NUMBA_CUDA is None, reason="numba-cuda is not installed (extra `cuda`)"
)


def run(program, folder, *arguments, **settings):
    command = ["-m", f"tests.core.{program}", *map(str, arguments)]
    return finish(start_python(command, folder, **settings))[0]


@pytest.mark.slow
def test_the_simulator_plays_the_same(tmp_path):
    output = run("cuda_play", tmp_path, "--steps", FEW_STEPS, "celtica:2", **SIMULATOR)
    assert "celtica:2 is the same on both" in output


@pytest.mark.full
@pytest.mark.parametrize("run_of", ["celtica:5", "keltis:2", "keltis:4", "celtic:2", "celtic:4"])
def test_the_simulator_plays_every_game_the_same(run_of, tmp_path):
    output = run("cuda_play", tmp_path, "--steps", STEPS, run_of, **SIMULATOR)
    assert f"{run_of} is the same on both" in output


@pytest.mark.full
@needs_numba_cuda
@pytest.mark.parametrize("runs", ["celtica:2 celtica:5", "keltis:2 keltis:4", "celtic:2 celtic:4"])
def test_code_for_a_gpu_plays_the_same_on_the_processor(runs, tmp_path):
    output = run("cuda_on_host", tmp_path, *runs.split())
    assert output.count("is the same on both") == 2


@pytest.mark.full
@needs_numba_cuda
@each_game
def test_every_kernel_compiles_for_a_gpu(game, tmp_path):
    output = run("cuda_on_host", tmp_path, "--ptx", game)
    if "no NVVM" in output:
        pytest.skip("NVIDIA's compiler NVVM is not installed (extra `cuda`)")
    assert output.count("compiles") == len(cuda_batch.kernel_arguments(load_game(game)))


@each_game
def test_a_gpu_can_read_every_field_of_a_record_in_one_piece(game):
    packed = celtica_env.spec(game).state_dtype
    dtype = cuda_batch.device_dtype(packed)
    assert dtype.names == packed.names
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        assert field == packed.fields[name][0]
        assert offset % field.base.itemsize == 0
        assert dtype.itemsize % field.base.itemsize == 0
    records = load_game(game).new_record(2, {})
    assert records.astype(dtype).astype(packed).tobytes() == records.tobytes()


def test_what_is_missing_for_a_gpu_is_named(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'celtica-env\[cuda\]'"):
        celtica_env.make_batch("celtica", device="cuda")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(cuda_batch, "cuda", SimpleNamespace(is_available=lambda: False))
    with pytest.raises(DeviceError, match="needs an NVIDIA GPU"):
        celtica_env.make_batch("celtica", device="cuda")
    monkeypatch.setattr(numba.config, "ENABLE_CUDASIM", 1)
    with pytest.raises(DeviceError, match="NUMBA_DISABLE_JIT"):
        celtica_env.make_batch("celtica", device="cuda")


def test_a_batch_on_a_gpu_says_how_to_copy_it():
    batch = object.__new__(cuda_batch.CudaBatch)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"copy the Batch that its cpu\(\) returns"):
            duplicate(batch)


def test_environments_refuse_a_gpu():
    for make in (
        lambda: gymnasium.make("Celtica-v0", device="cuda"),
        lambda: gymnasium.make_vec("Celtica-v0", num_envs=2, device="cuda"),
        lambda: SeatVecEnv("celtica", 2, device="cuda"),
        lambda: celtica_v0.env(device="cuda"),
    ):
        with pytest.raises(OptionError, match=r"on the CPU|no option 'device'"):
            make()


def test_what_a_gpu_has_not_is_refused():
    for arguments in ({"num_threads": 2}, {"record": True}):
        with pytest.raises(OptionError, match="device='cpu' only"):
            celtica_env.make_batch("celtica", device="cuda", **arguments)
    with pytest.raises(OptionError, match="did you mean 'cuda'"):
        celtica_env.make_batch("celtica", device="cudo")
