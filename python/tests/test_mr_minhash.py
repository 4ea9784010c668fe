"""The package as it is installed: the wheel in an environment of its own."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mr_minhash
from mr_minhash._options import RunOptions

PYTHON = Path(__file__).parent.parent
sys.path.insert(0, str(PYTHON / 'examples'))

WORDS = ' '.join(f'word{i}' for i in range(60))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / 'texts'
    folder.mkdir()
    (folder / 'a.txt').write_text(WORDS)
    (folder / 'b.txt').write_text(f'{WORDS.upper()}!')
    (folder / 'c.txt').write_text('nothing of the kind is said in this other text')
    return folder


def test_the_command_is_installed(texts: Path) -> None:
    command = [str(Path(sys.executable).parent / 'mr-minhash'), '--version']
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == mr_minhash.__version__
    module = [sys.executable, '-m', 'mr_minhash', 'run', str(texts), '--out', str(texts.parent / 'by-command'), '--fail-on-duplicates']
    assert subprocess.run(module, capture_output=True).returncode == 3


def test_run_and_its_tables(texts: Path, tmp_path: Path) -> None:
    told = []
    result = mr_minhash.run(texts, out=tmp_path / 'found', threads=1, on_progress=told.append)
    assert result.counts['read'] == 3 and result.counts['dropped'] == 1
    assert told and all(isinstance(one, mr_minhash.Progress) and one.done >= 0 for one in told)
    assert [(row['a'], row['b'], row['kind']) for row in result.pairs] == [('a.txt', 'b.txt', 'same-tokens')]
    assert [(row['document'], row['kept'], row['jaccard']) for row in result.dropped] == [('b.txt', 'a.txt', 1)]
    assert list(result.skipped) == []
    assert mr_minhash.Result(tmp_path / 'found').counts == result.counts

    pyarrow = pytest.importorskip('pyarrow')
    table = result.clusters.to_arrow()
    assert table.column('document').to_pylist() == ['a.txt', 'b.txt']
    assert pyarrow.table(result.clusters).equals(table)
    pytest.importorskip('pandas')
    assert list(result.pairs.to_pandas().columns) == list(result.pairs.to_arrow().column_names)


def test_apply(texts: Path, tmp_path: Path) -> None:
    result = mr_minhash.run([texts], out=tmp_path / 'found', threads=0)
    report = result.apply(tmp_path / 'cleaned', link=True)
    assert sorted(path.name for path in (tmp_path / 'cleaned').glob('*.txt')) == ['a.txt', 'c.txt']
    assert report['documents'] == {'read': 3, 'kept': 2, 'dropped': 1}
    with pytest.raises(mr_minhash.MinHashError) as refused:
        result.apply(tmp_path / 'cleaned')
    assert 'cleaned' in refused.value.message


def test_records_in_the_place_of_files(tmp_path: Path) -> None:
    records = [{'id': 'ä', 'text': WORDS}, {'id': 'b\t2', 'text': WORDS + ' end'}, {'id': 'c', 'text': 'another one'}]
    result = mr_minhash.run(records=iter(records), out=tmp_path / 'found', threshold=0.5)
    assert [(row['document'], row['kept']) for row in result.dropped] == [('b\t2', 'ä')]
    with pytest.raises(TypeError):
        mr_minhash.run()


def test_all_faults_at_once_in_the_words_of_python(texts: Path) -> None:
    with pytest.raises(mr_minhash.MinHashError) as refused:
        mr_minhash.run(texts, threshold=2, max_documents='5MB', max_document='much')  # type: ignore[call-arg]
    error = refused.value
    assert error.code == 'OPTION_INVALID' and len(error.faults) == 3 and error.hint
    assert 'max_documents: no such option, did you mean max_document?' in error.message
    assert 'max_document much: expected a size' in error.message and 'threshold 2: expected' in error.message
    with pytest.raises(mr_minhash.MinHashError) as absent:
        mr_minhash.run(texts / 'absent')
    assert absent.value.code != 'OPTION_INVALID'


def test_filter_passes_on_what_resembles_nothing_before_it() -> None:
    dropped = []
    kept = mr_minhash.filter(
        ({'n': n, 'body': f'{WORDS} {n % 3}' if n % 2 else f'{n} ' * 20} for n in range(1000)),
        text='body',
        threshold=0.6,
        on_dropped=lambda record, why: dropped.append((record['n'], why['resembles_index'])),
    )
    assert len(list(kept)) + len(dropped) == 1000
    assert dropped[0] == (3, 1)
    assert list(mr_minhash.filter(['a b c', 'A b c!', 'd'])) == ['a b c', 'd']
    assert list(mr_minhash.filter([(1, 'a b'), (2, 'a b')], text=lambda pair: pair[1])) == [(1, 'a b')]


def test_filter_of_a_stream_without_an_end_is_closed() -> None:
    def endless():
        n = 0
        while True:
            yield f'text number {n} of many'
            n += 1

    found = mr_minhash.filter(endless())
    assert [next(found) for _ in range(3)] == [f'text number {n} of many' for n in range(3)]
    found.close()


def test_what_the_program_raises_comes_out() -> None:
    def failing():
        yield 'one text'
        raise KeyError('of the records')

    with pytest.raises(KeyError, match='of the records'):
        list(mr_minhash.filter(failing()))

    def refuse(progress: mr_minhash.Progress) -> None:
        raise ZeroDivisionError(progress.stage)

    with pytest.raises(ZeroDivisionError):
        list(mr_minhash.query('a b c', records=['a b c'] * 10, on_progress=refuse))


def test_query_and_compare() -> None:
    corpus = [{'id': 'near', 'text': WORDS + ' end'}, {'id': 'far', 'text': 'something else'}]
    answers = list(mr_minhash.query(WORDS, records=corpus, explain=True))
    assert [answer['document'] for answer in answers] == ['near']
    assert answers[0]['values']['resemblance'] > 0.9 and answers[0]['passages']
    both = mr_minhash.compare('a rose is a rose is a rose', 'a rose is a flower which is a rose', shingle='words:2')
    assert both['sets']['resemblance'] == 0.5 and both['parameters']['level_unit'] == 100
    by_method = mr_minhash.compare('One. Two.', 'Two.', method='cops')
    assert by_method['values']['base_in_document'] == 0.5


def test_docstrings_and_types_name_every_option() -> None:
    for name in RunOptions.__annotations__:
        assert re.search(rf'^ +{name}:$', mr_minhash.run.__doc__, re.M), name
    assert {'threshold', 'against'} <= set(inspect.get_annotations(mr_minhash._options.FilterOptions))
    assert (Path(mr_minhash.__file__).parent / 'py.typed').exists()


def test_the_page_runs(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r'```python\n(.*?)```', (PYTHON / 'README.md').read_text('utf-8'), re.S)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, 'README.md', 'exec'), {})


def test_parquet_files_are_cleaned(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip('pyarrow')
    parquet = pytest.importorskip('pyarrow.parquet')
    from clean_parquet import clean

    shards = tmp_path / 'shards'
    shards.mkdir()
    schema = pyarrow.schema([('id', pyarrow.int64()), ('text', pyarrow.string()), ('tags', pyarrow.list_(pyarrow.string()))])
    for shard in range(2):
        rows = [{'id': n + 10 * shard, 'text': f'{WORDS} {n}', 'tags': ['x']} for n in (0, 0, 1)] + [
            {'id': 9, 'text': f'only in shard {shard}: ' + ' '.join(str(n * n + shard) for n in range(40)), 'tags': None}
        ]
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), shards / f'part-{shard}.parquet')
    clean(str(shards), str(tmp_path / 'cleaned'))
    cleaned = [parquet.read_table(tmp_path / f'cleaned/part-{shard}.parquet') for shard in range(2)]
    assert [table.column('id').to_pylist() for table in cleaned] == [[0, 9], [9]]
    assert all(table.schema.equals(schema) for table in cleaned)


def test_a_dataset_is_filtered() -> None:
    datasets = pytest.importorskip('datasets')
    from filter_dataset import without_duplicates

    rows = {'text': [WORDS, 'something else entirely', WORDS + ' end'], 'label': [1, 2, 3]}
    assert without_duplicates(datasets.Dataset.from_dict(rows))['label'][:] == [1, 2]
