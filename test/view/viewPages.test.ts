/** The views of a result by their addresses, without a server or a browser. */
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { ResultView, type ViewAnswer } from '../../src/view/viewPages.js';
import { type LongTable, longTableMarkup, tsvOf } from '../../src/view/viewTables.js';
import { idsWith } from '../../src/view/wordSearch.js';
import { familyText, RECORDS, resultIn, VIEWED } from './viewedResult.js';

async function textOf({ body }: ViewAnswer): Promise<string> {
  if (typeof body === 'string') return body;
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

async function opened(name: string, options = {}): Promise<ResultView> {
  const view = new ResultView(await resultIn(name, options));
  await view.prepare();
  return view;
}

let unchanged: Promise<ResultView> | null = null;
/** The view of a result that no test changes. */
function unchangedView(): Promise<ResultView> {
  unchanged ??= opened('unchanged');
  return unchanged;
}

const get = async (view: ResultView, address: string): Promise<string> => {
  const [path, query] = address.split('?');
  for (;;) {
    const text = await textOf(await view.answer(path!, new URLSearchParams(query)));
    // A page of what is being made comes again, each after a while.
    if (!text.includes('http-equiv="refresh"')) return text;
  }
};

/** Ids of the rows of a table, in their order. */
const cells = (tsv: string, column: number): string[] =>
  tsv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[column]!);

test.serial('the overview has the sections of the saved page', async (t) => {
  const view = await unchangedView();
  const page = await get(view, '');
  for (const title of ['Similarity of candidate pairs', 'Clusters', 'All counts'])
    t.true(page.includes(`>${title}</h2>`), title);
});

test.serial('clusters are sorted and searched, and downloaded as they are shown', async (t) => {
  const view = await unchangedView();
  const sizes = cells(await get(view, 'clusters.tsv?sort=size'), 1).map(Number);
  t.is(sizes.length, 20);
  t.deepEqual(
    sizes,
    [...sizes].sort((x, y) => y - x),
  );
  const least = cells(await get(view, 'clusters.tsv?sort=least'), 3).map(Number);
  t.deepEqual(
    least,
    [...least].sort((x, y) => x - y),
  );
  t.deepEqual(cells(await get(view, 'clusters.tsv?search=f07-1'), 4), ['news/f07-0']);
  t.is(cells(await get(view, 'clusters.tsv?search=mail'), 0).length, 20);
  // A match does not cross the end of an id.
  t.deepEqual(cells(await get(view, 'clusters.tsv?search=-1news'), 0), []);
  t.regex(await get(view, 'clusters?search=nothing-like-it'), /There are none\./);
});

const numbers = (total: number): LongTable => ({
  ...{ caption: 'Numbers', heads: ['#number'], total },
  *rows(from) {
    for (let row = from; row < total; row++) yield [{ markup: `${row}`, tsv: `${row}` }];
  },
});

test('a page of a list has 200 rows, with links to the pages before and after it', async (t) => {
  for (const [from, first, last, others] of [
    [0, 0, 199, [200, 800]],
    [450, 400, 599, [0, 200, 600, 800]],
    [999, 800, 949, [0, 600]],
  ] as const) {
    const page = await longTableMarkup(numbers(950), `numbers?from=${from}&sort=size`, from);
    const rows = [...page.matchAll(/<td class="n">(\d+)<\/td>/g)].map(([, row]) => Number(row));
    t.deepEqual([rows[0], rows.at(-1), rows.length], [first, last, last - first + 1]);
    const links = [...page.split('<table')[0]!.matchAll(/href="numbers\?sort=size&amp;from=(\d+)"/g)];
    t.deepEqual(
      links.map(([, row]) => Number(row)),
      [...others],
    );
    t.regex(page, /href="numbers\.tsv\?sort=size"/);
  }
  t.regex(await longTableMarkup(numbers(0), 'numbers', 5), /There are none\./);
});

test('a download of 400,000 rows lets other requests be answered between its pieces', async (t) => {
  let [answered, isEnded] = [0, false];
  const answer = (): void => {
    answered++;
    if (!isEnded) setImmediate(answer);
  };
  setImmediate(answer);
  let rows = -1;
  for await (const piece of tsvOf(numbers(400_000))) rows += piece.split('\n').length - 1;
  isEnded = true;
  t.is(rows, 400_000);
  t.true(answered >= 799, `${answered}`);
});

test.serial('a search ignores the case of ASCII letters, and finds the files of records', async (t) => {
  const paths = ['Old', 'new'].map((name) => join(VIEWED, `${name}.jsonl`));
  const lines = (copies: readonly number[]): string =>
    RECORDS.filter(({ id }) => copies.includes(Number(id.slice(-1))) || id.includes('f19'))
      .map((record, i) => `${JSON.stringify({ ...record, id: `Été ${record.id} ${copies.length}${i}` })}\n`)
      .join('');
  writeFileSync(paths[0]!, lines([0]));
  writeFileSync(paths[1]!, lines([1, 2]));
  const view = await opened('letters', { paths });
  const clusters = async (search: string): Promise<number> =>
    cells(await get(view, `clusters.tsv?${new URLSearchParams({ search })}`), 0).length;
  const all = await clusters('');
  t.is(all, 20);
  for (const [search, expected] of [
    ['F07-0', 1],
    ['NEWS/F0', 10],
    ['OLD.JSONL', 20],
    ['new.', 20],
    // Letters of other alphabets are what they are.
    ['Été', 20],
    ['été', 0],
    ['jsonl#', 20],
    ['old.jsonlnew', 0],
  ] as const)
    t.is(await clusters(search), expected, search);
});

/** An answer once what it needs of the texts is read. */
async function whenRead(view: ResultView, address: string): Promise<string> {
  for (;;) {
    const answer = await get(view, address);
    if (!answer.includes('This page reloads automatically.')) return answer;
  }
}

test.serial('words of texts are searched', async (t) => {
  // Records without an id, and ids that repeat, are found by their places.
  const files = ['ids', 'places'].map((name) => join(VIEWED, `${name}.jsonl`));
  writeFileSync(files[0]!, RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''));
  writeFileSync(
    files[1]!,
    RECORDS.map(
      ({ id, text }, i) =>
        `${JSON.stringify({ ...(i % 2 === 0 && { id: id.slice(0, 8) }), text: text.replaceAll('f', 'g') })}\n`,
    ).join(''),
  );
  const view = await opened('words', { paths: files });
  const found = async (search: string): Promise<number> =>
    cells(await whenRead(view, `clusters.tsv?${new URLSearchParams({ search, in: 'texts' })}`), 0).length;
  t.is(cells(await get(view, 'clusters.tsv?search=f3w5'), 0).length, 0);
  for (const [search, expected] of [
    ['f3w5', 1],
    ['F3W5  g3w5', 0],
    // Two families are two copies of one text.
    ['C1E0', 36],
    // Ids and files are searched, too.
    ['places.jsonl', 20],
  ] as const)
    t.is(await found(search), expected, search);
  const page = await whenRead(view, 'clusters?search=f3w5&in=texts');
  t.regex(page, /name="in" value="texts" checked/);
  t.regex(page, /href="clusters\?sort=drops&amp;search=f3w5&amp;in=texts"/);
});

test.serial('rows show the title of a document, or how its text begins', async (t) => {
  const text = `${familyText(1, 0)} <b>`;
  const records = [
    { id: 'titled', title: 'Blue\n whales', text },
    { id: 'untitled', text },
    { id: 'later', text: `${text} once more` },
  ];
  const file = join(VIEWED, 'titles.jsonl.gz');
  writeFileSync(file, gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join('')));
  const view = await opened('titles', { paths: [file] });
  await whenRead(view, 'clusters?search=f1w1&in=texts');
  const rows = (await get(view, 'cluster?n=1')).split('<tbody>')[1]!.split('</tr>');
  t.regex(rows[0]!, /<span class="words"><b>Blue whales<\/b> f1w0 f1w1 f1w2/);
  t.regex(rows[1]!, /<span class="words">f1w0 f1w1/);
  // Texts come from the store: the file is not read again.
  rmSync(file);
  t.regex(await get(view, 'pair?a=0&b=2'), /&lt;b&gt;<mark> once more<\/mark>|<mark>once more<\/mark>/);
  const lines = join(VIEWED, 'lines.txt');
  writeFileSync(lines, `${familyText(1, 0)}\n\nother line\n${familyText(1, 0)}\n`);
  const ofLines = await opened('lines', { paths: [lines], unit: 'line' });
  await whenRead(ofLines, 'clusters?search=f1w1&in=texts');
  t.is(
    (await get(ofLines, 'cluster?n=1')).split('<h2>Pairs')[0]!.match(/class="words">f1w0 f1w1/g)!.length,
    2,
  );
});

test.serial('pairs begin with the similar ones, and are listed by kind', async (t) => {
  const view = await unchangedView();
  const kinds = async (query: string): Promise<string[]> => [
    ...new Set(cells(await get(view, `pairs.tsv?${query}`), 3)),
  ];
  t.deepEqual(await kinds(''), ['near']);
  t.deepEqual(await kinds('kind=identical'), ['identical']);
  t.deepEqual(await kinds('kind=all'), ['identical', 'near']);
  const page = await get(view, 'pairs');
  t.regex(page, /<a href="pairs\?kind=near&amp;sort=most" aria-current="true">similar \d+<\/a>/);
});

test('a search matches within an id, not across two', (t) => {
  const ids = ['xxNEar', 'xx', 'y'];
  const offsets = Uint32Array.of(0, 6, 8, 9);
  const table = { bytes: Buffer.from(ids.join('')), offsets };
  t.deepEqual([...idsWith(table, 'nEAR')], [1, 0, 0]);
  t.deepEqual([...idsWith(table, 'xx')], [1, 1, 0]);
  t.deepEqual([...idsWith(table, 'xxy')], [0, 0, 0]);
});

test.serial('a cluster shows its documents and their pairs', async (t) => {
  const view = await unchangedView();
  const number = cells(await get(view, 'clusters.tsv?search=f04-0'), 0)[0]!;
  const page = await get(view, `cluster?n=${number}`);
  for (let copy = 0; copy < 6; copy++) t.regex(page, new RegExp(`f04-${copy}`));
  t.regex(page, /data-keep="\d+"/);
  t.is(cells(await get(view, `cluster.tsv?n=${number}`), 1).length, 6);
  for (const address of [
    'cluster?n=21',
    'cluster?n=0',
    'cluster?n=x',
    'nothing',
    'clusters.exe',
    '../../etc/passwd',
  ])
    t.is((await view.answer(...addressed(address))).status, 404, address);
});

const addressed = (address: string): [string, URLSearchParams] => {
  const [path, query] = address.split('?');
  return [path!, new URLSearchParams(query)];
};

test.serial('two texts are side by side, in parts', async (t) => {
  const view = await unchangedView();
  const [first] = cells(await get(view, 'clusters.tsv?search=f04-0'), 0);
  const link = /href="(pair\?a=\d+&amp;b=\d+)"/.exec(await get(view, `cluster?n=${first}`))![1]!;
  const page = await get(view, link.replace('&amp;', '&'));
  t.regex(page, /<dt>similarity<\/dt><dd>0\.\d{6}<\/dd>/);
  t.regex(page, /<mark[^>]*>c1e0<\/mark>/);
  t.true(page.includes('f4w0 f4w1 f4w2'));
  t.is((await view.answer(...addressed(link.replace('pair', 'texts').replace('&amp;', '&')))).status, 200);
  t.is((await view.answer(...addressed('pair?a=0&b=0'))).status, 404);
  t.is((await view.answer(...addressed('pair?a=0&b=99999'))).status, 404);
});

test.serial('equal rows far from a difference are folded, and fetched when they are opened', async (t) => {
  const lines = Array.from({ length: 4000 }, (_, i) => `line ${i} of many that say ${i * 7919} and more`);
  const file = join(VIEWED, 'large.jsonl');
  const texts = [lines, lines.map((line, i) => (i === 3000 ? 'another line stands here' : line))];
  writeFileSync(
    file,
    texts.map((text, i) => `${JSON.stringify({ id: `l${i}`, text: text.join('\n') })}\n`).join(''),
  );
  const view = await opened('large', { paths: [file] });
  const page = await get(view, 'pair?a=0&b=1');
  t.true(page.length < 100_000, `${page.length}`);
  t.regex(page, /data-count="1">1 row with differences/);
  t.regex(page, /class="a different"[\s\S]*<mark>another line stands here<\/mark>/);
  t.true(page.includes('line 2997 of many') && !page.includes('line 2990 of many'));
  const folds = [...page.matchAll(/<summary>([\d,]+) equal rows<\/summary>/g)];
  t.deepEqual(
    folds.map(([, rows]) => rows),
    ['2,994', '995'],
  );
  let all = '';
  for (const [, part] of page.matchAll(/data-part="(\d+)"/g))
    all += `${await get(view, `texts?a=0&b=1&part=${part}`)}\n`;
  const shown = [...all.matchAll(/<div class="a[^"]*">([\s\S]*?)<\/div><div/g)].flatMap(([, cell]) =>
    cell!.replace(/<\/?mark[^>]*>/g, '').split('\n'),
  );
  t.deepEqual(shown, lines);
});

/** The documents of a saved drop list with what replaces each. */
function saved(file: string): string[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split('\t').slice(0, 2).join(' for '));
}

const answered = async (view: ResultView, body: unknown) => {
  const answer = await view.edit(body);
  return { status: answer.status, ...JSON.parse(await textOf(answer)) };
};

test.serial('an edit saves a complete drop list beside the result, and undo takes it back', async (t) => {
  const view = await opened('edited');
  const file = join(VIEWED, 'edited-drop-list.tsv');
  const before = saved(join(VIEWED, 'edited', 'duplicates.tsv'));
  const [cluster] = cells(await get(view, 'clusters.tsv?search=f04-0'), 0);
  const rows = await get(view, `cluster?n=${cluster}`);
  const [, dropped, kept] = /data-keep="(\d+)" data-drop="(\d+)"/.exec(rows)!.map(Number);
  const { status, message } = await answered(view, { keep: [dropped], drop: [kept] });
  t.is(status, 200);
  t.regex(
    message,
    /^Saved\. The list drops \d+ documents, 2 differences from the result\.( \d+ other documents have another replacement\.)?/,
  );
  const list = saved(file);
  t.is(list.length, before.length);
  t.true(list.includes('news/f04-0 for mail/f04-1'));
  t.false(list.some((row) => row.startsWith('mail/f04-1 ')));
  t.deepEqual(
    list.filter((row) => !row.includes('f04')),
    before.filter((row) => !row.includes('f04')),
  );
  t.regex(await get(view, `cluster.tsv?n=${cluster}`), /news\/f04-0\t\d\.\d{6}\tdropped for mail\/f04-1/);
  t.regex(await get(view, 'list'), /apply \S+ --drop-list \S+edited-drop-list\.tsv/);
  t.is((await answered(view, { keep: [kept] })).status, 200);
  t.is(saved(file).length, before.length - 1);
  await answered(view, { undo: true });
  t.is(saved(file).length, before.length);
  await answered(view, { undo: true });
  t.false(existsSync(file), 'the list of the result needs no file');
});

test.serial('the last copy of a text is dropped only after a confirmation', async (t) => {
  const view = await opened('together');
  const file = join(VIEWED, 'together-drop-list.tsv');
  const [cluster] = cells(await get(view, 'clusters.tsv?search=f04-0'), 0);
  const boxes = (await get(view, `cluster?n=${cluster}`)).matchAll(/data-tick="(\d+)"/g);
  const all = [...boxes].map(([, number]) => Number(number));
  t.is(all.length, 6);
  const refused = await answered(view, { drop: all });
  t.is(refused.status, 409);
  t.is(refused.losses, 6);
  t.true(refused.lost.includes('news/f04-0'));
  t.false(existsSync(file));
  t.is((await answered(view, { drop: all.slice(0, 5) })).status, 200);
  const fates = cells(await get(view, `cluster.tsv?n=${cluster}`), 3);
  t.deepEqual(fates, [...Array(5).fill('dropped for mail/f04-5'), 'kept']);
  t.is((await answered(view, { drop: all, lose: true })).status, 200);
  t.is(saved(file).filter((row) => /f04-\d for $/.test(row)).length, 6);
  t.regex(await get(view, `cluster?n=${cluster}`), /its text is lost/);
  const page = await get(view, 'list');
  t.regex(
    page,
    /role="alert">apply rejects this list\. These 6 documents have no near-duplicate that is kept/,
  );
  for (const d of [0, 1, 2, 3, 4, 5]) t.regex(page, new RegExp(`<li>.*f04-${d}<.*</li>`));
  t.regex(
    page,
    /Or drop the texts nevertheless:<\/p><pre class="command">mr-minhash apply .* --force<\/pre>/,
  );
  for (const wrong of [[], 'all', [1, -1], [1e9], ['1']])
    t.is((await answered(view, { drop: wrong })).status, 400, JSON.stringify(wrong));
  for (const wrong of [null, 5, {}, { keep: [1], drop: [1] }])
    t.is((await answered(view, wrong)).status, 400, JSON.stringify(wrong));
  rmSync(file);
});

test.serial(
  'a list that a person edited is shown, and one that cannot be read is reported and left alone',
  async (t) => {
    const view = await opened('by-hand');
    const file = join(VIEWED, 'by-hand-drop-list.tsv');
    const own = readFileSync(join(VIEWED, 'by-hand', 'duplicates.tsv'), 'utf8');
    writeFileSync(file, own.replace(/^mail\/f04-1\t.*\n/m, ''));
    t.regex(await get(view, 'list.tsv'), /mail\/f04-1\tkept/);
    t.notRegex(await get(view, 'list'), /apply rejects/);
    // The document for which all others of its cluster are dropped is dropped, too.
    const [, place] = /^mail\/f04-1\t.*\t(.*)$/m.exec(own)!;
    writeFileSync(file, `${own}news/f04-0\t\t\t${place}\t\n`);
    t.regex(await get(view, 'list'), /apply rejects this list.*>news\/f04-0</);
    writeFileSync(file, `${own}burn it\n`);
    t.regex(await get(view, 'list'), /line \d+: expected 5 cells with TABs between them, got 1/);
    t.is((await view.edit({ drop: [0] })).status, 409);
    t.regex(readFileSync(file, 'utf8'), /burn it/);
    writeFileSync(file, 'document\tkept\nnobody\tnews/f04-0\n');
    t.regex(await get(view, 'list'), /nobody is in no cluster of the result/);
    rmSync(file);
    t.regex(await get(view, 'list'), /The drop list is that of the result/);
  },
);

test.serial(
  'missing texts and a replaced result are reported, and nothing is shown in their place',
  async (t) => {
    const moved = join(VIEWED, 'moved.jsonl');
    writeFileSync(moved, readFileSync(join(VIEWED, 'in.jsonl')));
    const folder = await resultIn('gone', { paths: [moved] });
    rmSync(moved);
    const view = new ResultView(folder);
    await view.prepare();
    t.regex(await get(view, 'clusters?search=f1w1&in=texts'), /no input of the result is where/);
    // What needs no text is there.
    t.regex(await get(view, 'clusters'), /<table/);

    const manifest = join(folder, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest));
    utimesSync(manifest, 1, 1);
    for (const address of ['', 'pairs', 'pairs.tsv', 'cluster?n=1'])
      t.regex(await get(view, address), /the result was replaced or removed/, address);
    t.is((await view.edit({ drop: [1] })).status, 409);
    await view.close();
  },
);
