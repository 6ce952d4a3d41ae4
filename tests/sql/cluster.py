"""A PostgreSQL cluster of its own in a temporary folder, with the extension accord: for tests and
benchmarks. Nothing outside the folder is written.

PostgreSQL looks for extensions in folders that lie beside its programs, so the folder holds copies
of the programs and links to everything else. It refuses to run as root: root starts it as the user
postgres, or as nobody."""
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

import sanitized


def pg_config(name):
    said = subprocess.run(["pg_config", "--" + name], capture_output=True, text=True)
    return said.stdout.strip()


def reason_to_skip():
    """Why there can be no cluster, or an empty string."""
    if not shutil.which("pg_config"):
        return "PostgreSQL is missing (Debian: postgresql-15 postgresql-server-dev-15)"
    missing = [name for name in ("postgres", "initdb", "psql")
               if not os.path.exists(os.path.join(pg_config("bindir"), name))]
    return f"PostgreSQL lacks {', '.join(missing)}" if missing else ""


def other_user():
    """What makes a child another user than root."""
    if os.geteuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
            return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        except KeyError:
            pass
    raise RuntimeError("there is no user to run PostgreSQL as")


class Failure(Exception):
    """What psql said on stderr."""


class Cluster:
    def __init__(self, extension, settings=()):
        """extension: the folder of accord.so and accord--*.sql; settings: lines of the
        configuration."""
        self.root = tempfile.mkdtemp(prefix="accord-pg-")
        os.chmod(self.root, 0o755)
        self.as_user = other_user()
        self.server = None
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                              "../../src/sql/postgresql/accord.control")
        self.bin = self.copy_tree([os.path.join(extension, "accord.so")],
                                  [source, os.path.join(extension, "accord--0.1.sql")])
        self.home = os.path.join(self.root, "home")
        os.mkdir(self.home)
        if self.as_user:
            os.chown(self.home, self.as_user["user"], self.as_user["group"])
        self.data = os.path.join(self.home, "data")
        self.run([os.path.join(self.bin, "initdb"), "-D", self.data, "-U", "tester", "-A", "trust",
                  "--no-sync", "-E", "UTF8", "--no-locale"])
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="utf-8") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.home}'\n"
                       "fsync = off\nautovacuum = off\nmax_worker_processes = 16\n"
                       + "".join(line + "\n" for line in settings))
        self.start()

    def copy_tree(self, libraries, scripts):
        folders = {name: self.root + pg_config(name) for name in ("bindir", "pkglibdir", "sharedir")}
        for name, folder in folders.items():
            os.makedirs(folder, exist_ok=True)
            for entry in os.listdir(pg_config(name)):
                target = os.path.join(pg_config(name), entry)
                place = os.path.join(folder, entry)
                if name == "bindir" and entry in ("postgres", "initdb"):
                    shutil.copy(target, place)
                elif entry != "extension" and not entry.startswith("accord"):
                    os.symlink(target, place)
        extensions = os.path.join(folders["sharedir"], "extension")
        os.mkdir(extensions)
        system = os.path.join(pg_config("sharedir"), "extension")
        for entry in os.listdir(system):
            if not entry.startswith("accord"):
                os.symlink(os.path.join(system, entry), os.path.join(extensions, entry))
        for folder, files in ((folders["pkglibdir"], libraries), (extensions, scripts)):
            for name in files:
                shutil.copy(name, folder)
                os.chmod(os.path.join(folder, os.path.basename(name)), 0o644)
        return folders["bindir"]

    def run(self, command, **options):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.home,
                              **self.as_user, **options)
        if done.returncode:
            raise Failure(done.stderr.strip() or done.stdout.strip())
        return done.stdout

    def start(self):
        with open(os.path.join(self.root, "log"), "ab") as log:
            self.server = subprocess.Popen(
                [os.path.join(self.bin, "postgres"), "-D", self.data], stdout=log, stderr=log,
                cwd=self.home, env=sanitized.environment(), **self.as_user)
        self.wait_until_ready()

    def wait_until_ready(self):
        for _ in range(600):
            try:
                return self.sql("SELECT 1")
            except Failure as failure:
                last = failure
            time.sleep(0.1)
        raise last

    def psql(self, text, file=None):
        return ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.home, "-U",
                "tester", "-d", "postgres", *(["-f", file] if file else ["-c", text])]

    def sql(self, text, given=None):
        """What a statement gives, its rows as lines; `given` is the data of a COPY."""
        return self.run(self.psql(text), input=given).rstrip("\n")

    def script(self, text):
        """The same of several statements in one session."""
        return self.run(self.psql(None, "-"), input=text).rstrip("\n")

    def begin(self, text):
        """A session that runs beside others: a process."""
        return subprocess.Popen(self.psql(None, "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.home, **self.as_user)

    def log(self):
        with open(os.path.join(self.root, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def close(self):
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            try:
                self.server.wait(30)
            except subprocess.TimeoutExpired:
                self.server.send_signal(signal.SIGQUIT)
                self.server.wait(30)
        shutil.rmtree(self.root, ignore_errors=True)
