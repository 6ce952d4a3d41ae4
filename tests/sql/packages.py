"""Python packages from PyPI for tests: in a virtual environment of the build folder."""
import fcntl
import os
import subprocess
import sys


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def become_python_with(build, *packages):
    """Goes on as a Python that can import the packages, or returns why there is none."""
    folder = os.path.join(os.path.abspath(build), "data-venv")
    python = os.path.join(folder, "bin", "python")
    os.makedirs(build, exist_ok=True)
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        if not os.path.exists(python):
            done = run(sys.executable, "-m", "venv", folder)
            if done.returncode:
                return "no virtual environment (Debian: python3-venv)"
        for package in packages:
            if run(python, "-c", f"import {package}").returncode == 0:
                continue
            done = run(python, "-m", "pip", "install", "--disable-pip-version-check", "-q", package)
            if done.returncode:
                return f"pip could not install {package}: {done.stdout.strip().splitlines()[-1]}"
    if os.path.realpath(os.path.dirname(sys.executable)) != os.path.realpath(os.path.dirname(python)):
        os.execv(python, [python, *sys.argv])
    return ""
