"""The package as it is installed: the wheel in an environment of its own."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    (folder / 'c.txt').write_text('nothing of the kind appears in this other text')
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
    assert table.column('document').to_pylist() == ['a.txt', 'b.txt'] and table.column('cluster').to_pylist() == [1, 1]
    assert pyarrow.table(result.clusters).equals(table)
    pandas = pytest.importorskip('pandas')
    assert pandas.api.types.is_float_dtype(result.pairs.to_pandas().jaccard)


def test_an_existing_result_is_replaced_only_with_exist_ok(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / 'found'
    mr_minhash.run(texts, out=out)
    with pytest.raises(mr_minhash.MinHashError):
        mr_minhash.run(texts, out=out)
    assert mr_minhash.run(texts, out=out, exist_ok=True).counts['dropped'] == 1


def test_a_run_without_out_leaves_nothing(texts: Path) -> None:
    result = mr_minhash.run(texts)
    folder = Path(result.folder)
    assert folder.is_dir() and len(result.dropped) == 1
    del result
    assert not folder.exists()


def test_apply(texts: Path, tmp_path: Path) -> None:
    result = mr_minhash.run([texts], out=tmp_path / 'found', threads=0)
    report = result.apply(tmp_path / 'cleaned', link=True)
    assert sorted(path.name for path in (tmp_path / 'cleaned').glob('*.txt')) == ['a.txt', 'c.txt']
    assert report['documents'] == {'read': 3, 'kept': 2, 'dropped': 1}
    with pytest.raises(mr_minhash.MinHashError) as refused:
        result.apply(tmp_path / 'cleaned')
    assert result.apply(tmp_path / 'cleaned', exist_ok=True)['documents']['dropped'] == 1
    assert 'cleaned' in refused.value.message


#: Row 1 is near row 0, row 2 has the same words, row 6 is the same; rows 4 and 5 have no text.
TEXTS = [WORDS, WORDS + ' end', WORDS.upper() + '!', 'another one', None, float('nan'), WORDS, 'and one more']
KEPT = [True, False, False, True, True, True, False, True]
CLUSTERS = [0, 0, 0, 1, 2, 3, 0, 4]
SIZES = [4, 4, 4, 1, 1, 1, 4, 1]


def test_a_list_of_texts_or_dicts() -> None:
    result = mr_minhash.run(TEXTS)
    assert [(row['document'], row['kept']) for row in result.dropped] == [(1, 0), (2, 0), (6, 0)]
    assert result.counts['skipped'] == {'JSON_NO_TEXT': 2}
    kept = result.deduplicated()
    assert [kept[at] for at in (0, 1, 2, 4)] == [WORDS, 'another one', None, 'and one more'] and len(kept) == 5
    named = mr_minhash.run(({'name': f'n{at}', 'body': body} for at, body in enumerate(TEXTS)), text='body', id='name')
    labels = named.labels()
    assert [label['id'] for label in labels] == [f'n{at}' for at in range(8)]
    assert [label['cluster'] for label in labels] == CLUSTERS and [label['cluster_size'] for label in labels] == SIZES
    assert [label['kept'] for label in labels] == KEPT
    assert [label['similarity'] for label in labels] == pytest.approx([1, 0.982456, 1, 1, 1, 1, 1, 1])
    assert [record['kept'] for record in named.annotate()] == KEPT


def test_a_frame_of_pandas_keeps_ids_and_types() -> None:
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame({'body': TEXTS, 'n': range(100, 108), 'score': [1, 2, 3, 4, 5, 6, 9, 8]}, index=list('abcdefgh'))
    result = mr_minhash.run(frame, text='body')
    assert list(result.dropped.to_pandas().document) == ['b', 'c', 'g']
    labels = result.labels()
    assert list(labels.columns) == ['cluster', 'cluster_size', 'kept', 'similarity'] and labels.index.equals(frame.index)
    assert labels.kept.dtype == bool and labels.cluster.dtype.kind == 'i' and list(labels.cluster) == CLUSTERS
    assert result.deduplicated().equals(frame[KEPT])
    assert list(result.annotate().columns) == [*frame.columns, *labels.columns]
    by_score = mr_minhash.run(frame, text='body', id='n', keep='field:score')
    dropped = by_score.dropped.to_pandas()
    assert dropped.document.dtype == frame.n.dtype and set(dropped.kept) == {106}
    assert len(dropped.merge(frame, left_on='document', right_on='n')) == 3


@pytest.mark.parametrize('form', ['polars', 'lazy', 'pyarrow', 'stream', 'datasets'])
def test_other_tables(form: str) -> None:
    pyarrow = pytest.importorskip('pyarrow')
    table = pyarrow.table({'body': TEXTS[:5] + [None] + TEXTS[6:], 'n': list(range(100, 108))})
    if form in ('polars', 'lazy'):
        polars = pytest.importorskip('polars')
        data = polars.from_arrow(table) if form == 'polars' else polars.from_arrow(table).lazy()
    elif form == 'datasets':
        data = pytest.importorskip('datasets').Dataset(table)
    else:
        data = table if form == 'pyarrow' else table.to_reader()
    result = mr_minhash.run(data, text='body', id='n')
    assert [(row['document'], row['kept']) for row in result.dropped] == [(101, 100), (102, 100), (106, 100)]

    def values(frame: Any, column: str) -> list[Any]:
        found = frame[column]
        return found.to_pylist() if hasattr(found, 'to_pylist') else list(found)

    assert values(result.deduplicated(), 'n') == [100, 103, 104, 105, 107]
    assert values(result.labels(), 'kept') == KEPT
    assert values(result.annotate(), 'cluster_size') == SIZES


def test_records_against_records() -> None:
    result = mr_minhash.run([{'text': WORDS + ' new', 'id': 7}, {'text': 'no copy', 'id': 8}], against=[{'text': WORDS, 'id': 'old'}], id='id')
    assert [(row['document'], row['kept']) for row in result.dropped] == [(7, 'old')]
    assert [record['id'] for record in result.deduplicated()] == [8]


def test_records_that_cannot_be_read_are_named(texts: Path) -> None:
    for error, message, call in [
        (TypeError, 'either records or paths', lambda: mr_minhash.run()),
        (KeyError, "no such column; they have 'body'", lambda: mr_minhash.run([{'body': WORDS}])),
        (KeyError, 'no such column', lambda: mr_minhash.run([{'text': WORDS}], id='n')),
        (TypeError, 'record 1: expected a text, got int', lambda: mr_minhash.run(['one', 2])),
        (TypeError, "'n', record 0: expected a text, got int", lambda: mr_minhash.run([{'n': 1, 'text': WORDS}], text=['text', 'n'])),
        (TypeError, 'names of files', lambda: mr_minhash.run([str(texts)])),
        (FileNotFoundError, 'expected the folder of a finished result', lambda: mr_minhash.Result(texts)),
        (TypeError, r'filter\(\) takes records, got NoneType', lambda: list(mr_minhash.filter(None))),
        (TypeError, 'expected records', lambda: mr_minhash.run(7)),
        (ValueError, 'needs the records', lambda: mr_minhash.run(texts).labels()),
        (ValueError, "no record with a text in 'body'", lambda: mr_minhash.run([{'body': None}, {'body': float('nan')}], text='body')),
        (KeyError, "'n': the records have no such column; they have 'text'", lambda: list(mr_minhash.query(WORDS, [{'text': WORDS}], id='n'))),
        (TypeError, r'query\(\) takes texts, got NoneType', lambda: list(mr_minhash.query(None, [WORDS]))),
        (TypeError, "expected a text or a record with 'text', got int", lambda: list(mr_minhash.filter(['a b', 5]))),
        (mr_minhash.MinHashError, 'threshold nan: expected a number', lambda: mr_minhash.run([WORDS], threshold=float('nan'))),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_missing_texts_are_kept_and_counted_in_every_form() -> None:
    import pandas

    for dtype in ('object', 'string'):
        frame = pandas.DataFrame({'body': pandas.array([WORDS, WORDS, None, None], dtype=dtype)})
        assert mr_minhash.run(frame, text='body').labels().kept.tolist() == [True, False, True, True]
    records = [{'n': 1}, {'text': WORDS}, {'text': WORDS}, {'text': None}]
    assert len(mr_minhash.run(records).deduplicated()) == 3
    with pytest.warns(UserWarning, match='2 records without a text were passed on'):
        assert len(list(mr_minhash.filter(records[1:] + [{'n': 1}]))) == 3
    with pytest.raises(KeyError, match="'text': the first record has no such key; it has 'n'"):
        list(mr_minhash.filter(records))
    with pytest.raises(ValueError, match='no records'):
        mr_minhash.run([])


def test_columns_may_be_numbers_and_errors_are_about_the_call(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame({0: [WORDS, WORDS]})
    assert mr_minhash.run(frame, text=0, out=tmp_path / 'found').counts['dropped'] == 1  # type: ignore[arg-type]
    numpy = pytest.importorskip('numpy')
    assert mr_minhash.run(frame, text=0, hashes=numpy.int64(64)).counts['dropped'] == 1  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='one by one'):
        list(mr_minhash.filter(frame))
    with pytest.raises(mr_minhash.MinHashError, match='exist_ok=True'):
        mr_minhash.run(frame, text='0', out=tmp_path / 'found')
    with pytest.raises(TypeError, match=r'similarity\(\) takes texts, got NoneType'):
        mr_minhash.similarity(WORDS, None)  # type: ignore[arg-type]


def test_a_warning_of_a_run_is_one_of_python() -> None:
    people = [f'person {i} in street {i % 7}' for i in range(100)]
    with pytest.warns(UserWarning, match='use --preset records'):
        mr_minhash.run(people)


def test_signatures_and_similarity_of_two_texts() -> None:
    assert mr_minhash.similarity('a b c d e f', 'a b c d e g', shingle='words:2') == pytest.approx(4 / 6)
    assert [type(mr_minhash.similarity('a', b)) for b in ('a', 'b')] == [float, float]
    a, b = (mr_minhash.signature(text, hashes=256) for text in (WORDS, WORDS + ' end'))
    assert len(a) == 256 and sum(x == y for x, y in zip(a, b)) / 256 > 0.9
    with pytest.raises(mr_minhash.MinHashError, match='shingle'):
        mr_minhash.similarity('a', 'b', shingle='much')


def test_all_problems_at_once_in_the_words_of_python(texts: Path) -> None:
    with pytest.raises(mr_minhash.MinHashError) as refused:
        mr_minhash.run(texts, threshold=2, max_documents='5MB', max_document='much')  # type: ignore[call-arg]
    error = refused.value
    assert error.code == 'OPTION_INVALID' and len(error.problems) == 3 and error.hint
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
    with pytest.warns(UserWarning, match='2 records without a text'):
        assert list(mr_minhash.filter(['a b', None, 'A b', {'text': None}, 'c'])) == ['a b', None, {'text': None}, 'c']


def test_an_index_grows_and_answers(tmp_path: Path) -> None:
    folder = tmp_path / 'ix'
    with pytest.raises(mr_minhash.MinHashError, match='not an index'):
        mr_minhash.Index(folder)
    index = mr_minhash.Index.create(folder, threshold=0.6)
    added = index.add([{'url': 'u1', 'body': WORDS}, {'url': 'u2', 'body': None}], portion='one', text='body', id='url')
    assert (added['documents'], added['near'], len(index)) == (1, 0, 1)
    assert index.add([f'{WORDS}!', 'another text of some words'], portion='two')['near'] == 1
    assert [portion['name'] for portion in index.portions] == ['one', 'two']
    first, second = index.query(WORDS)
    assert (first['document'], first['portion'], first['jaccard'], first['kind']) == ('u1', 'one', 1, 'identical')
    assert (second['document'], second['kind']) == ('0', 'same-tokens')
    with pytest.raises(TypeError, match=r'query\(\) takes texts'):
        index.query(5)  # type: ignore[arg-type]
    assert index.remove(portion='one') == 1
    assert index.add(['one two three'], portion='one')['documents'] == 1
    assert index.remove(portion='one') == 1
    index.compact()
    assert [found['document'] for found in index.query(WORDS)] == ['0']
    with pytest.raises(mr_minhash.MinHashError, match='at least that of the index'):
        index.query(WORDS, threshold=0.1)
    for error, message, call in [
        (KeyError, "no such column; they have 'body'", lambda: index.add([{'body': WORDS}], portion='three')),
        (KeyError, 'no such column', lambda: index.add([{'text': WORDS}], portion='three', id='n')),
        (TypeError, 'record 0: expected a text, got int', lambda: index.add([5], portion='three')),
        (mr_minhash.MinHashError, 'top: expected a whole number of at least 1', lambda: index.query(WORDS, top=-1)),
        (mr_minhash.MinHashError, 'not_seen_since', lambda: index.remove()),
        (TypeError, r'remove\(\) takes a list of ids, got int', lambda: index.remove(ids=5)),
    ]:
        with pytest.raises(error, match=message):
            call()
    assert index.remove(ids=[0]) == 1 and len(index) == 1
    index.close()


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
        list(mr_minhash.query('a b c', ['a b c'] * 10, on_progress=refuse))


def test_query_and_compare() -> None:
    corpus = [{'id': 'near', 'text': WORDS + ' end'}, {'id': 'far', 'text': 'something else'}]
    answers = list(mr_minhash.query(WORDS, corpus, id='id', explain=True))
    assert [answer['document'] for answer in answers] == ['near']
    assert answers[0]['values']['resemblance'] > 0.9 and answers[0]['passages']
    both = mr_minhash.compare('a rose is a rose is a rose', 'a rose is a flower which is a rose', shingle='words:2')
    assert both['sets']['resemblance'] == 0.5 and both['parameters']['level_unit'] == 100
    by_method = mr_minhash.compare('One. Two.', 'Two.', method='cops')
    assert by_method['values']['base_in_document'] == 0.5


def test_docstrings_and_types_name_every_option() -> None:
    for name in RunOptions.__annotations__:
        assert re.search(rf'^ *{name}:$', mr_minhash.run.__doc__, re.M), name
    assert {'threshold', 'against'} <= set(mr_minhash._options.FilterOptions.__annotations__)
    assert (Path(mr_minhash.__file__).parent / 'py.typed').exists()


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r'```python\n(.*?)```', (PYTHON / 'README.md').read_text('utf-8'), re.S)
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, 'README.md', 'exec'), {})


def test_every_line_of_the_table_for_users_of_datasketch_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (PYTHON / 'README.md').read_text('utf-8')
    rows = re.findall(r'^\| .* \| `([^|]*)`(?:, \w+)? \|$', page[page.index('## From datasketch') :], re.M)
    assert len(rows) == 12
    records = [{'text': WORDS}, {'text': WORDS + ' end'}, {'text': 'nothing like that'}]
    names: dict[str, Any] = {'mr_minhash': mr_minhash, 'text': WORDS, 'a': WORDS, 'b': WORDS + ' end', 'records': records}
    values = []
    for row in rows:
        if row.startswith('index = '):
            exec(row, names)
        else:
            values.append(eval(row, names))
    signature, similarity, added, found, removed, nearest, kept, *_, clusters, distinct = values
    assert len(signature) == 128 and similarity == pytest.approx(56 / 57)
    assert added['documents'] == 1 and found == ['k'] and removed == 1
    assert [answer['document'] for answer in nearest] == [0, 1]
    assert len(kept) == 2 and clusters == [0, 0, 1] and len(distinct) == 3


def test_the_notebook_runs() -> None:
    pytest.importorskip('pandas')
    book = json.loads((PYTHON / 'examples/quickstart.ipynb').read_text('utf-8'))
    names: dict[str, Any] = {}
    for cell in book['cells']:
        if cell['cell_type'] == 'code':
            exec(compile(''.join(cell['source']), 'quickstart.ipynb', 'exec'), names)
    assert names['result'].counts['dropped'] == 3
    assert list(names['result'].deduplicated().index) == [0, 3, 4, 6]


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


def parquet_shards(folder: Path) -> Any:
    pyarrow = pytest.importorskip('pyarrow')
    parquet = pytest.importorskip('pyarrow.parquet')
    folder.mkdir()
    schema = pyarrow.schema([('id', pyarrow.int64()), ('text', pyarrow.string()), ('tags', pyarrow.list_(pyarrow.string()))])
    rows = [{'id': 2**60 + n, 'text': f'{WORDS} {n}', 'tags': ['x']} for n in (0, 0, 1)]
    rows.append({'id': 9, 'text': 'nothing of the others', 'tags': None})
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), folder / 'a.parquet', compression='zstd')
    (folder / 'b.txt').write_text(f'{WORDS} 0')
    return parquet


def test_apply_writes_parquet_by_the_duckdb_of_python(tmp_path: Path) -> None:
    pytest.importorskip('duckdb')
    parquet = parquet_shards(tmp_path / 'shards')
    result = mr_minhash.run(tmp_path / 'shards')
    assert result.counts['dropped'] == 3
    result.apply(tmp_path / 'clean')
    table = parquet.read_table(tmp_path / 'clean/a.parquet')
    assert table.column('id').to_pylist() == [2**60, 9] and not (tmp_path / 'clean/b.txt').exists()
    assert table.schema.field('tags').type == parquet.read_schema(tmp_path / 'shards/a.parquet').field('tags').type
    only = mr_minhash.run(tmp_path / 'shards', include='*.parquet')
    only.apply(tmp_path / 'labelled', annotate=True)
    labelled = parquet.read_table(tmp_path / 'labelled/a.parquet').to_pylist()
    assert [row['kept'] for row in labelled] == [True, False, False, True] and labelled[3]['similarity'] == 1


def test_apply_of_parquet_without_duckdb_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet_shards(tmp_path / 'shards')
    result = mr_minhash.run(tmp_path / 'shards', threshold=0.5)
    (tmp_path / 'duckdb.py').write_text('raise ImportError()')
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    with pytest.raises(mr_minhash.MinHashError) as refused:
        result.apply(tmp_path / 'clean')
    assert refused.value.code == 'DUCKDB_UNAVAILABLE' and "pip install 'mr-minhash[parquet]'" in refused.value.hint


def test_apply_at_a_higher_threshold(texts: Path, tmp_path: Path) -> None:
    (texts / 'd.txt').write_text(WORDS + ' and an end of many other words')
    result = mr_minhash.run(texts, threshold=0.5)
    assert result.counts['dropped'] == 2
    assert result.apply(tmp_path / 'careful', threshold=0.95)['documents'] == {'read': 4, 'kept': 3, 'dropped': 1}


def test_a_finished_result_is_a_reference(texts: Path, tmp_path: Path) -> None:
    mr_minhash.run(texts, out=tmp_path / 'old')
    (tmp_path / 'new').mkdir()
    (tmp_path / 'new/a.txt').write_text(WORDS)
    (tmp_path / 'new/b.txt').write_text('something that is new')
    counts = mr_minhash.run(tmp_path / 'new', against=tmp_path / 'old').counts
    assert (counts['read'], counts['kept'], counts['reference_documents']) == (2, 1, 2)
