"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat


def _mode(path: str) -> int | None:
    """What stat says of the kind and the permissions, None where nothing is there."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes beside the file, and renames when it is whole. A link stays, and its target is
    replaced. A pipe or a device is written in place."""
    final = os.path.realpath(path)
    mode = _mode(final)
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            file.write(data)
        return
    partial = f"{final}.{secrets.token_hex(4)}.part"
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with open(handle, "wb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(partial, stat.S_IMODE(mode))
        os.replace(partial, final)
    except BaseException:
        os.unlink(partial)
        raise
