"""Ranks of torch.distributed: processes that are started, handed work, and heard.

The process that starts them only conducts. It takes part in no collective, so it can tell a rank that
dies from one that waits. It makes the store of the rendezvous itself, at a port that the system
chooses, once the ranks are forked; they are told the port through their pipes, so no other process can
take it in between.
"""

from __future__ import annotations

import ctypes
import datetime
import importlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import struct
import sys
import time
from typing import Any, Callable, NamedTuple

#: What a rank does: of a message from the conductor it makes an answer.
Answer = Callable[[bytes], bytes]


class Stop(Exception):
    """A reason to end, in the words of the error that the user sees."""


class World(NamedTuple):
    """Which ranks."""

    size: int
    backend: str
    timeout: float  #: seconds that one call may take
    name: str  #: what they do: "all_reduce"


# ---- a rank ----


def _die_with_parent() -> None:
    """A rank never outlives the conductor, however that ends. (Elsewhere than on Linux it ends when its pipe
    does.)"""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _rank(pipe: Any, others: list[Any], world: World, rank: int,
          work: Callable[[Any, Any, int], Answer]) -> None:
    for each in others:  # so that a pipe ends with its conductor
        each.close()
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import torch

        dist: Any = importlib.import_module("torch.distributed")

        torch.set_num_threads(1)
        device = torch.device("cpu")
        if world.backend == "nccl":
            device = torch.device("cuda", rank % torch.cuda.device_count())
            torch.cuda.set_device(device)
        limit = datetime.timedelta(seconds=world.timeout)
        port, = struct.unpack("<I", pipe.recv_bytes())
        store = dist.TCPStore("127.0.0.1", port, is_master=False, timeout=limit)
        dist.init_process_group(world.backend, store=store, rank=rank, world_size=world.size,
                                timeout=limit)
        answer = work(dist, device, rank)
        pipe.send_bytes(b"+ready")
        while True:
            message = pipe.recv_bytes()
            late, = struct.unpack_from("<I", message)
            if late:
                time.sleep(late / 1e6)
            with torch.no_grad():
                pipe.send_bytes(b"+" + answer(message[4:]))
    except (EOFError, BrokenPipeError):
        os._exit(0)
    except BaseException as error:  # whatever it is, the conductor says it
        text = str(error).strip().partition("\n")[0] or type(error).__name__
        try:
            pipe.send_bytes(b"-" + f"{type(error).__name__}: {text}".encode())
        finally:
            os._exit(1)


# ---- the conductor ----


class Ranks:
    """The processes of all ranks. `work` is called in each with torch.distributed, its device and its
    rank; `watched` is a file whose end says that nobody waits for the answers any more."""

    def __init__(self, world: World, work: Callable[[Any, Any, int], Answer],
                 watched: int | None = None) -> None:
        self.world, self.watched = world, watched
        dist = self._check()
        name = "lo" if sys.platform == "linux" else "lo0"
        os.environ.setdefault("GLOO_SOCKET_IFNAME", name)  # the machine's own, whatever its name is
        made = multiprocessing.get_context("fork")
        ends = [made.Pipe() for _ in range(world.size)]
        self.pipes = [ours for ours, _ in ends]
        self.processes = []
        for rank, (_, theirs) in enumerate(ends):
            others = self.pipes + [end for other, (_, end) in enumerate(ends) if other != rank]
            process = made.Process(target=_rank, args=(theirs, others, world, rank, work), daemon=True)
            process.start()
            self.processes.append(process)
        for _, theirs in ends:
            theirs.close()
        try:
            # The store has threads, so nothing is forked after this.
            self.store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False,
                                       timeout=datetime.timedelta(seconds=world.timeout))
            self._tell([struct.pack("<I", self.store.port)] * world.size)
            self._hear("while the ranks were started")
        except BaseException:
            self.end()
            raise

    def _check(self) -> Any:
        try:
            dist: Any = importlib.import_module("torch.distributed")
        except ImportError as error:
            raise Stop(f"torch is not installed for {sys.executable}: {error}") from None
        if not dist.is_available() or not dist.is_backend_available(self.world.backend):
            raise Stop(f"this build of torch has no backend {self.world.backend}")
        if self.world.backend == "nccl":
            self._check_devices()
        return dist

    def _check_devices(self) -> None:
        import subprocess

        # Asked in another process, for a process that has used CUDA cannot be forked.
        asked = "import torch; print(torch.cuda.device_count())"
        said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout
        count = int(said) if said.strip().isdigit() else 0
        if count < self.world.size:
            raise Stop(f"the backend nccl needs a GPU for each rank: there are {count} of them, and "
                       f"{self.world.size} ranks")

    def ask(self, messages: list[bytes], late: dict[int, int] | None = None) -> list[bytes]:
        """The answer of each rank. late: how many microseconds ranks sleep before they begin."""
        delays = late or {}
        self._tell([struct.pack("<I", delays.get(rank, 0)) + message
                    for rank, message in enumerate(messages)])
        return self._hear(f"in {self.world.name}")

    def _tell(self, messages: list[bytes]) -> None:
        for pipe, message in zip(self.pipes, messages):
            try:
                pipe.send_bytes(message)
            except OSError:
                break  # it has ended; which rank and why is heard now

    def _hear(self, when: str) -> list[bytes]:
        heard: dict[int, bytes] = {}
        complaints: dict[int, str] = {}
        until = time.monotonic() + self.world.timeout
        while len(heard) < len(self.pipes):
            waiting: dict[Any, int] = {self.pipes[k]: k for k in range(len(self.pipes))
                                       if k not in heard and k not in complaints}
            # Where a rank has failed, the others fail after it: the cause is who has said nothing.
            left = until - time.monotonic() if not complaints else 0.3
            watched = [self.watched] if self.watched is not None else []
            ready = (multiprocessing.connection.wait([*waiting, *watched], max(left, 0.0))
                     if waiting else [])
            if not ready:
                self._give_up(when, complaints, list(waiting.values()))
            for pipe in ready:
                if pipe == self.watched:
                    raise Stop("nobody waits for the answer")
                rank = waiting[pipe]
                try:
                    said = self.pipes[rank].recv_bytes()
                except (EOFError, OSError):
                    raise Stop(f"rank {rank} {self._end(rank)} {when}") from None
                if said[:1] == b"+":
                    heard[rank] = said[1:]
                else:
                    complaints[rank] = said[1:].decode()
        return [heard[k] for k in range(len(self.pipes))]

    def _end(self, rank: int) -> str:
        self.processes[rank].join(5)
        code = self.processes[rank].exitcode
        if code is not None and code < 0:
            return f"was ended by signal {-code} ({signal.Signals(-code).name})"
        return f"ended with status {code}"

    def _give_up(self, when: str, complaints: dict[int, str], silent: list[int]) -> None:
        if not complaints:
            raise Stop(f"{_words(silent)} gave no answer for {self.world.timeout:g} s {when}")
        told = [f"rank {rank}: {words}" for rank, words in complaints.items()]
        told += [f"{_words(silent)} gave no answer"] if silent else []
        raise Stop(f"{'; '.join(told)} ({when})")

    def end(self) -> None:
        for process in self.processes:
            if process.is_alive():
                process.kill()
        for process in self.processes:
            process.join()


def _words(which: list[int]) -> str:
    words = [str(rank) for rank in which]
    return f"rank {words[0]}" if len(words) == 1 else f"ranks {', '.join(words[:-1])} and {words[-1]}"
