"""Programs that know nothing of sanitizers, with modules that were built with one: its runtime, which
ACCORD_TEST_PRELOAD names, is loaded before everything else. Python and the databases keep memory to
the end, so leaks are not looked for."""
import os
import sys

RUNTIME = os.environ.get("ACCORD_TEST_PRELOAD", "")
REPORTS = ("ERROR: AddressSanitizer", "runtime error: ")


def environment():
    """That of a program which loads such a module."""
    if not RUNTIME:
        return dict(os.environ)
    options = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "LD_PRELOAD": RUNTIME,
            "ASAN_OPTIONS": f"{options}{':' * bool(options)}detect_leaks=0"}


def become_sanitized():
    """Goes on as a Python that can load such a module."""
    if RUNTIME and os.environ.get("LD_PRELOAD") != RUNTIME:
        os.execve(sys.executable, [sys.executable, *sys.argv], environment())


def reports(text):
    """The lines of a log in which a sanitizer speaks."""
    return [line for line in text.splitlines() if any(word in line for word in REPORTS)]
