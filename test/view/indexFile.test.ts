/** The index of a result in a file: what is opened is what was made, and what cannot be believed is made anew. */
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readableResult } from '../../src/analysis/inspect.js';
import { indexFile, openIndex } from '../../src/result/indexFile.js';
import { indexResult, placeIn, type ResultIndex } from '../../src/result/resultIndex.js';
import { Abandoned, Behind } from '../../src/view/behind.js';
import { openedIndex } from '../../src/view/opening.js';
import { resultIn } from './viewedResult.js';

const { signal } = new AbortController();

function columnsOf(index: ResultIndex): unknown {
  const { ids, places, starts, keeper, drops, least, order, byValue, pairs } = index;
  const { count, ...ofPairs } = pairs;
  const columns = [ids, places, ofPairs, order, { starts, keeper, drops, least, byValue }];
  return columns.map((some) =>
    Object.fromEntries(
      Object.entries(some).map(([name, column]) => [name, column.subarray(0, column.length)]),
    ),
  );
}

test.serial('an index that is opened is the one that was made, rows of the files with it', async (t) => {
  const out = await resultIn('kept-index');
  const result = readableResult(out, {});
  const shares: number[] = [];
  const made = await openedIndex(result, signal, (share) => shares.push(share));
  t.true(shares.length > 0 && shares.every((share) => share >= 0 && share <= 1));
  t.is(shares.at(-1), 1);
  const expected = await indexResult(out, result.manifest);
  const file = indexFile(out);
  const { mtimeMs } = statSync(file);
  const again = await openedIndex(result, signal, () => t.fail('it is made again'));
  t.is(statSync(file).mtimeMs, mtimeMs);
  t.deepEqual(again.facts, made.facts);
  for (const { index, close } of [made, again]) {
    t.deepEqual(columnsOf(index), columnsOf(expected));
    t.deepEqual(
      await index.clusterRows(0, index.clustered),
      await expected.clusterRows(0, expected.clustered),
    );
    for (let pair = 0; pair < expected.pairs.count; pair++)
      t.deepEqual(await index.pairRow(pair), await expected.pairRow(pair));
    for (let d = 0; d < index.documents; d++) t.is(index.find(placeIn(index, d)), d);
    t.is(index.find('nobody'), -1);
    close();
  }
});

test.serial('an index of other files, a damaged one and one that others may write are none', async (t) => {
  const out = await resultIn('doubted-index');
  const result = readableResult(out, {});
  const file = indexFile(out);
  const open = () => openIndex(file, out, result.manifest);
  t.is(open(), null);
  (await openedIndex(result, signal, () => undefined)).close();
  const bytes = readFileSync(file);
  const isBelieved = (): boolean => {
    const kept = open();
    kept?.close();
    return kept !== null;
  };
  t.true(isBelieved());
  const directory = bytes.readDoubleLE(bytes.length - 8);
  for (const at of [directory, directory + 30, bytes.length - 20, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    writeFileSync(file, changed);
    t.false(isBelieved(), `byte ${at}`);
  }
  // Pages are checked when they are read.
  const changed = Buffer.from(bytes);
  changed[10]! ^= 1;
  writeFileSync(file, changed);
  const damaged = open()!;
  t.throws(() => columnsOf(damaged.index), { message: /remove it/ });
  damaged.close();
  for (const length of [0, 10, 100, bytes.length - 8]) {
    writeFileSync(file, bytes);
    truncateSync(file, length);
    t.false(isBelieved(), `${length} bytes`);
  }
  writeFileSync(file, bytes);
  appendFileSync(file, 'x');
  t.false(isBelieved(), 'a byte more');
  writeFileSync(file, bytes);
  if (process.platform !== 'win32') {
    chmodSync(file, 0o666);
    t.false(isBelieved(), 'others may write it');
    chmodSync(file, 0o644);
  }
  t.true(isBelieved());
  utimesSync(join(out, 'duplicates.tsv'), 1e9, 1e9);
  t.false(isBelieved(), 'a file with another time');
});

test.serial('work that nobody waits for is ended, and the next begins anew', async (t) => {
  const out = await resultIn('abandoned-work');
  const result = readableResult(out, {});
  const behind = new Behind(256);
  const left = new AbortController();
  const file = join(out, '..', 'abandoned.index');
  const abandoned = behind.do({ kind: 'index', result, file }, { signal: left.signal });
  const next = behind.do({ kind: 'index', result, file }, { signal });
  left.abort();
  await t.throwsAsync(abandoned, { instanceOf: Abandoned });
  t.is(await next, null);
  const nowhere = join(out, 'nowhere', 'x.index');
  await t.throwsAsync(behind.do({ kind: 'index', result, file: nowhere }, { signal }), {
    message: /x\.index/,
  });
  // A thread that failed goes on.
  t.is(await behind.do({ kind: 'index', result, file }, { signal }), null);
  await behind.close();
});
