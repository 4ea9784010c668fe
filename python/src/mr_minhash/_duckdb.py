"""The duckdb of Python, for the program: requests are lines of JSON on standard input, and each but an interrupt is answered by a line.

The first request has the settings of the database. `python -m mr_minhash._duckdb` is started by duckdb/index.cjs.
"""

from __future__ import annotations

import base64
import json
import queue
import sys
import threading
from typing import Any


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {'base64': base64.b64encode(value).decode()}
    return str(value)


def main() -> None:
    """Answers until standard input ends."""
    import duckdb

    connection = duckdb.connect(':memory:', config=json.loads(sys.stdin.readline())['settings'])
    requests: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            request = json.loads(line)
            if 'interrupt' in request:
                connection.interrupt()
            else:
                requests.put(request)
        connection.interrupt()
        requests.put(None)

    threading.Thread(target=read, daemon=True).start()
    while (request := requests.get()) is not None:
        try:
            if 'append' in request:
                columns = ', '.join(f'unnest(${at + 1}::{kind}[])' for at, kind in enumerate(request['kinds']))
                connection.execute(f'INSERT INTO {request["append"]} SELECT {columns}', request['columns'])
                answer: dict[str, Any] = {'rows': []}
            else:
                found = connection.execute(request['sql'], request['values'])
                names = [column[0] for column in found.description or []]
                answer = {'rows': [dict(zip(names, row)) for row in found.fetchall()]}
        except duckdb.Error as error:
            answer = {'error': str(error)}
        print(json.dumps(answer, default=_plain), flush=True)


if __name__ == '__main__':
    main()
