"""engine: one GGUF model that llama.cpp has loaded into this process, shared by all who want the same.

It listens on a loopback port, as the library always does, and takes nothing without a key that only this process has.
Nothing is fetched: the weights are a file that is there.

Source: the README of `xllamacpp`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import secrets
import threading
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from agentspec.errors import Unavailable

LIBRARY = "xllamacpp"
EXTRA = "agentspec[local]"
WINDOW = 4096  # tokens, where nobody says how many: with `smollm2` it takes 100 MB
QUIET = -1


class Wanted(NamedTuple):
    """What is to be loaded; whoever wants the same gets the same engine."""

    weights: Path
    window: int = WINDOW  # tokens of a request and its answer, for each of the slots
    threads: int = 0
    slots: int = 1  # requests that are answered at once; each more takes the memory of a window
    gpu_layers: int | None = None
    chat_template: str = ""


class Unloadable(Exception):
    """The weights could not be loaded; the text says it for people."""


class Engine:
    """A model in memory, from the first question of those who hold it until the last of them lets go."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.key = secrets.token_hex(32)
        self._holders = 0
        self._counting = threading.Lock()  # never held for long: those who hold it are event loops
        self._lock = threading.Lock()
        self._server: Any = None

    @property
    def is_loaded(self) -> bool:
        return self._server is not None

    @property
    def address(self) -> str:
        """Where it listens, once it is loaded."""
        return str(self._server.listening_address)

    def hold(self) -> None:
        """Be one of those who use it."""
        with self._counting:
            self._holders += 1

    def let_go(self) -> None:
        """Be no longer one of them; the last one frees the memory, which blocks for a second after a cancelled call."""
        with self._counting:
            self._holders -= 1
        with self._lock:
            if not self._holders:  # nobody has come meanwhile
                self._server = None

    def load(self) -> None:
        """Load the weights unless it is done; blocks for as long as that takes. Raises `Unloadable`."""
        with self._lock:
            if self._server is not None:
                return
            library = importlib.import_module(LIBRARY)
            try:
                server = library.Server(_parameters(library.CommonParams(), self.wanted, self.key))
                # It goes through the queue of work, whose loop now surely runs: let go before, it hangs for ever.
                server.handle_metrics()
            except RuntimeError as problem:
                raise Unloadable(
                    f"llama.cpp can't load `{self.wanted.weights.name}` with a window of {self.wanted.window} tokens: "
                    "the file is not whole, of a kind that it does not know, or larger than the memory"
                ) from problem
            self._server = server


_LOADED: WeakValueDictionary[Wanted, Engine] = WeakValueDictionary()
_LOOKING = threading.Lock()


def engine_of(wanted: Wanted, library: str = LIBRARY) -> Engine:
    """The engine for this, whether it is loaded or not. Raises `Unavailable` without the library."""
    if not has_library(library):
        raise Unavailable(f"the provider `local` needs the extra `local`: `pip install '{EXTRA}'`")
    with _LOOKING:
        engine = _LOADED.get(wanted)
        if engine is None:
            engine = _LOADED[wanted] = Engine(wanted)
        return engine


def has_library(library: str = LIBRARY) -> bool:
    """Whether the package that brings llama.cpp is installed. It is not imported for that."""
    return importlib.util.find_spec(library) is not None


def usual_threads() -> int:
    """Half of what this process may use: the run itself needs some, and threads that wait for a core wait for all."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // 2)


def _parameters(parameters: Any, wanted: Wanted, key: str) -> Any:
    threads = wanted.threads or usual_threads()
    parameters.model.path = str(wanted.weights)
    parameters.model_alias = {wanted.weights.name}
    parameters.offline = True
    parameters.api_keys = [key]
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.endpoint_metrics = True
    parameters.verbosity = QUIET
    parameters.n_ctx = wanted.window * wanted.slots
    parameters.n_parallel = wanted.slots
    parameters.cache_ram_mib = 0  # prompts of the past, 8 GiB of them by default
    parameters.warmup = False  # it would cost as much as the first answer
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    if wanted.gpu_layers is not None:
        parameters.n_gpu_layers = wanted.gpu_layers
    if wanted.chat_template:
        parameters.chat_template = wanted.chat_template
    return parameters
