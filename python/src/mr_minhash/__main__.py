"""The command `mr-minhash`, the same as the one that `npm` installs."""

import os
import subprocess
import sys

from ._process import PROGRAM, environment, node


def main() -> None:
    """Replaces this process by the program; on Windows, where that is impossible, runs the program and waits for it."""
    words = [node(), str(PROGRAM), *sys.argv[1:]]
    if os.name == 'nt':
        sys.exit(subprocess.run(words, env=environment()).returncode)
    os.execve(words[0], words, environment())


if __name__ == '__main__':
    main()
