"""The blocks of Python in README.md and docs/library.md run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize('name', ['README.md', 'docs/library.md'])
def test_the_blocks_of_a_page_run(name: str) -> None:
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame({'body': ['one two three four five six', 'One two three, four five six!', 'another']})
    blocks = re.findall(r'```python\n(.*?)```', (ROOT / name).read_text('utf-8'), re.S)
    assert len(blocks) == 1
    names = {'df': frame}
    exec(compile(blocks[0], name, 'exec'), names)
    assert len(names['result'].deduplicated()) == 2
