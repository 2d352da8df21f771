"""Run what numba-cuda makes of the kernels on the processor; a program, for a process of its own.

    python -m tests.core.cuda_on_host [--steps N] NAME:PLAYERS ...
    python -m tests.core.cuda_on_host --ptx NAME ...

numba-cuda types the rules and lowers them to LLVM code, which NVIDIA's compiler turns into machine
code of a GPU. Here LLVM turns it into machine code of this machine instead, and a loop takes the
place of the threads, so that all but NVIDIA's part is run without a GPU. Each game is then played
on a `CudaBatch` and a `Batch` side by side. With `--ptx` the same code is given to NVIDIA's
compiler instead, and what that makes of it is looked at.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import re
from collections.abc import Callable
from types import SimpleNamespace

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.cuda import compiler, dispatcher
from numba.cuda.cudadrv import nvvm

from celtica_env.core import cuda_batch
from celtica_env.core.registry import load_game
from tests.core.cuda_play import play

CAPABILITY = (9, 0)
REGISTER = re.compile(r'@"?llvm\.nvvm\.read\.ptx\.sreg\.(n?tid|ctaid)\.x"?')
POINTER = re.compile(r"(?:\b(?:i\d+|float|double|ptr)|\[[^][]*\]|\{[^{}]*\})\*")
LIBDEVICE = re.compile(r"\b__nv_(\w+)")  # NVIDIA's library of mathematics, named after C's
TARGET = re.compile(r"^(target .*|!nvvm.annotations.*)$", re.MULTILINE)


def library_of(kernel: Callable, package: str, signature: tuple):
    """Return numba-cuda's code library of a kernel for the types of its arguments."""
    bound = cuda_batch.bind_kernel(kernel, package)
    library, _ = compiler._compile_pyfunc_with_fixup(
        bound, numba.void(*signature), device=False, abi="numba", cc=CAPABILITY
    )
    return library


def for_this_machine(code: str) -> str:
    """Return LLVM code for a GPU as code for this machine."""
    code = TARGET.sub("", code)
    code = LIBDEVICE.sub(r"\1", REGISTER.sub(r"@\1", code))
    while POINTER.search(code):  # pointers had types once
        code = POINTER.sub("ptr", code)
    return code


class HostCode:
    """A kernel for arguments of certain types, as machine code of this machine."""

    def __init__(self, library) -> None:
        module = llvm.parse_assembly(
            "".join(
                f"@{name}_value = global i32 0\n"
                f"define i32 @{name}() {{ %v = load i32, ptr @{name}_value\n ret i32 %v }}\n"
                for name in ("tid", "ntid", "ctaid")
            )
        )
        for code in library.llvm_strs:
            module.link_in(llvm.parse_assembly(for_this_machine(code)))
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        self._address = self._engine.get_function_address(library._entry_name)
        self._tid, self._ntid, self._ctaid = map(self._register, ("tid", "ntid", "ctaid"))

    def _register(self, name: str) -> ctypes.c_int32:
        return ctypes.c_int32.from_address(self._engine.get_global_value_address(f"{name}_value"))

    def run(self, blocks: int, per_block: int, arguments: tuple) -> None:
        """Run one thread after the other."""
        words = [word for argument in arguments for word in words_of(argument)]
        call = ctypes.CFUNCTYPE(None, *map(type, words))(self._address)
        self._ntid.value = per_block
        for self._ctaid.value, self._tid.value in itertools.product(
            range(blocks), range(per_block)
        ):
            call(*words)


class HostKernel:
    """A kernel that is launched like one on a GPU, and compiled like one when it is."""

    def __init__(self, kernel: Callable, package: str) -> None:
        self._kernel = kernel
        self._package = package
        self._codes: dict[tuple, HostCode] = {}

    def __getitem__(self, shape: tuple[int, int]) -> Callable:
        def launch(*arguments) -> None:
            plain = [np.asarray(a) if isinstance(a, HostArray) else a for a in arguments]
            signature = tuple(map(numba.typeof, plain))
            if signature not in self._codes:
                self._codes[signature] = HostCode(
                    library_of(self._kernel, self._package, signature)
                )
            self._codes[signature].run(*shape, arguments)

        return launch


def words_of(argument) -> list:
    """Return an argument as numba passes it to a kernel."""
    if isinstance(argument, bool):
        return [ctypes.c_int8(argument)]
    if isinstance(argument, int):
        return [ctypes.c_int64(argument)]
    numbers = (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
    return [ctypes.c_int64(n) for n in (*numbers, *argument.shape, *argument.strides)]


class HostArray(np.ndarray):
    """Memory of this machine that behaves like that of a GPU."""

    __cuda_ndarray__ = True

    def copy_to_host(self) -> np.ndarray:
        """Return a copy."""
        return np.array(self)

    def copy_to_device(self, array: np.ndarray) -> None:
        """Overwrite it."""
        self[...] = array


def empty(shape, dtype) -> HostArray:
    """Return memory that holds anything."""
    array = np.empty(shape, dtype).view(HostArray)
    array.view(np.uint8).fill(0xA5)
    return array


HOST = SimpleNamespace(device_array=empty, to_device=lambda a: a.copy().view(HostArray))


def host_kernels(package: str) -> SimpleNamespace:
    """Return all kernels of a game, for this machine."""
    kernels = cuda_batch.kernel_arguments(cuda_batch.load_package(package))
    return SimpleNamespace(**{k.__name__: HostKernel(k, package) for k in kernels})


def expect_sound_ptx(package: str) -> None:
    """Compile each kernel for a GPU; fail where it would round otherwise than a processor."""
    arguments = cuda_batch.kernel_arguments(cuda_batch.load_package(package))
    for kernel, examples in arguments.items():
        library = library_of(kernel, package, tuple(map(numba.typeof, examples)))
        (ptx,) = library.get_asm_strs(cc=CAPABILITY)
        name = f"{package}: {kernel.__name__}"
        assert ".entry" in ptx, name
        # A potential is a guess, whose last bit is nobody's rule.
        is_exact = "fma." not in ptx or kernel.__name__ == "potential_kernel"
        assert is_exact, f"{name} adds to a product, which a GPU rounds once"
        print(name, "compiles")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptx", action="store_true")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("runs", nargs="+")
    arguments = parser.parse_args()
    # A GPU is asked for what it can do, and there is none.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=CAPABILITY)
    if not arguments.ptx:
        use_this_machine()
        play(arguments.runs, arguments.steps)
    elif not nvvm.is_available():
        print("no NVVM")
    else:
        for name in arguments.runs:
            expect_sound_ptx(load_game(name).package)


def use_this_machine() -> None:
    """Put this machine in place of a GPU."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cuda_batch.require_gpu = lambda: None
    cuda_batch.cuda = HOST
    cuda_batch.game_kernels = host_kernels


if __name__ == "__main__":
    main()
