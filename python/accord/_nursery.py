"""A process that has imported torch, from which the conductors of ranks are forked.

Importing torch takes two seconds, forking a process that has done so milliseconds. The process is
started when the first conductor is wanted, one for each folder and environment, since libraries read
variables when they are imported. It has a socket in a folder that only its user may enter, imports no
module of the user's, and never uses torch itself, so that a fork of it is like a fresh process. It ends
when the process that started it does, or after five minutes without a question.

Whoever connects sends one line of JSON: ["serve", arguments], together with its standard input,
output and error, to have what `python -m accord.serve_collective` is; or ["layer", job], to talk over
the connection to the ranks of a sharded layer (_layer_ranks.py).
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, NoReturn

#: What the refusal of a result that depends on arrival begins with. It stands here, and not beside its
#: words, since `import accord` must not import what `python -m` runs.
NONDETERMINISTIC = "nondeterministic:"

_IDLE = 300.0  # seconds; whoever asks takes a new process a minute earlier


_PROGRAM = "import sys; from accord import _nursery; _nursery.main(sys.argv[1])"


# ---- who asks ----


class _Started:
    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="accord-torch-")
        self.address = os.path.join(self.folder, "socket")
        self.process = subprocess.Popen([sys.executable, "-c", _PROGRAM, self.folder],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.process.stdout.read(1)  # it has imported torch and listens, or has ended
        self.used = time.monotonic()

    def lives(self) -> bool:
        return time.monotonic() - self.used < _IDLE - 60 and self.process.poll() is None

    def end(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


_lock = threading.Lock()
_started: dict[Any, _Started] = {}


def address() -> str:
    """Where the process for this environment listens; it is started if need be."""
    variables = tuple(sorted(item for item in os.environ.items() if item[0] != "PYTEST_CURRENT_TEST"))
    key = os.getpid(), os.getcwd(), variables
    with _lock:
        for other in [other for other in _started if other[0] != key[0]]:
            del _started[other]  # of the process that this one was forked from
        if key in _started and not _started[key].lives():
            _started.pop(key).end()
        if key not in _started:
            while len(_started) >= 4:
                _started.pop(next(iter(_started))).end()
            _started[key] = _Started()
        _started[key].used = time.monotonic()
        return _started[key].address


def connect(request: list[Any]) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address())
    connection.sendall(json.dumps(request).encode() + b"\n")
    return connection


# ---- the process ----


def _line(connection: socket.socket) -> tuple[Any, list[int]]:
    """The request, and the files that came with it."""
    data, files, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while data and not data.endswith(b"\n"):
        data += connection.recv(1 << 16)
    return json.loads(data or b"[null, null]"), files


def _conduct(connection: socket.socket) -> int:
    (what, given), files = _line(connection)
    if what == "layer":
        from . import _layer_ranks

        return _layer_ranks.conduct(connection, given)
    if what == "serve" and len(files) == 3:
        from . import serve_collective

        for standard, file in enumerate(files):
            os.dup2(file, standard)
            os.close(file)
        return serve_collective.main(given, connection.fileno())
    return 2


def _child(connection: socket.socket) -> NoReturn:
    status = 1
    try:
        for name in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_DFL)
        status = _conduct(connection)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    except KeyboardInterrupt:
        pass
    except BaseException as error:
        print(f"accord.serve_collective: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        try:
            sys.stderr.flush()
            connection.sendall(bytes([status]))
        finally:
            os._exit(status)


def main(folder: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the folder goes, too
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(folder, "socket"))
    listener.listen(16)
    told = os.dup(1)
    os.dup2(2, 1)
    try:
        try:
            import torch.distributed  # noqa: F401
        except ImportError:
            pass  # each conductor says so
        # Only now, for an import that takes a minute on a busy machine must not use up the time of a call.
        os.write(told, b"+")
        os.close(told)
        while listener.fileno() in select.select([listener.fileno(), 0], [], [], _IDLE)[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _child(connection)
            connection.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)

