"""Hands standard input, output and error to the process of _nursery.py, and ends as its conductor does.

It is run as a file, without the package, so that it starts in a few milliseconds.
"""

import json
import os
import socket
import sys


def relay(address: str, words: list[str]) -> int:
    """The status with which the conductor of these words ends."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    socket.send_fds(connection, [json.dumps(["serve", words]).encode() + b"\n"], [0, 1, 2])
    for standard in (0, 1, 2):  # so that pipes end with the conductor
        os.close(standard)
    status = connection.recv(1)
    return status[0] if status else 1


if __name__ == "__main__":
    os._exit(relay(sys.argv[1], sys.argv[2:]))
