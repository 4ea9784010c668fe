"""The command `mr-minhash`, as `npm` installs it."""

import os
import subprocess
import sys

from ._process import PROGRAM, node


def main() -> None:
    """Becomes the program; where a process cannot become another, waits for it."""
    words = [node(), str(PROGRAM), *sys.argv[1:]]
    if os.name == 'nt':
        sys.exit(subprocess.run(words).returncode)
    os.execv(words[0], words)


if __name__ == '__main__':
    main()
