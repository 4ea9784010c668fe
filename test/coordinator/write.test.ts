import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { duplicateGroups } from '../../reducers/duplicateGroups.js';
import { NOT_COMPARED } from '../../reducers/intersections.js';
import type { ByteColumn } from '../../src/arrays/growable.js';
import { EMPTY } from '../../src/blocks/documents.js';
import { Run } from '../../src/coordinator/context.js';
import { decide } from '../../src/coordinator/decide.js';
import { type AgreeingNumbers, PairList } from '../../src/coordinator/pairList.js';
import { type LabelledDocuments, writeTables } from '../../src/coordinator/write.js';
import { createInlineEngine } from '../../src/engines/inline.js';
import { LISTED_CODES } from '../../src/errors.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { UNBOUNDED } from '../../src/store/budget.js';
import { Store } from '../../src/store/store.js';
import { KERNEL_MODULE } from '../../src/tasks/kernelModule.js';
import { TASKS } from '../../src/tasks/table.js';
import { idTableOf } from '../data/idTable.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { kernelModule } from '../kernel/sketchKernels.js';

/** Six documents in two batches: ids repeat, and number n is row 5 - n. */
const IDS = ['same', 'same', 'tab\there', 'd', 'e', 'empty'];

function documentsOf(hasIds: boolean): LabelledDocuments {
  const appendLocation = (row: number, out: ByteColumn) => out.appendBinary(`f.jsonl#${row + 1}`);
  const flags = [Uint8Array.of(0, 0, 0, 0), Uint8Array.of(0, EMPTY)];
  const keys = (rows: number) => Uint32Array.from({ length: 4 * rows }, (_, i) => i);
  return {
    starts: Uint32Array.of(0, 4, 6),
    facts: flags.map((ofBatch) => {
      const none = new Float64Array(ofBatch.length);
      const file = new Uint32Array(ofBatch.length);
      return { file, record: none, unit: null, flags: ofBatch, occurrences: none, textBytes: none };
    }),
    table: (k) => ({ columns: { contentKey: keys(flags[k]!.length) }, meta: {} }),
    hasIds,
    appendLocation,
    appendId: hasIds ? (row, out) => out.appendBinary(IDS[row]!) : appendLocation,
  };
}

async function written(t: ExecutionContext, options: RunOptions, hasIds = true, isInFiles = false) {
  const { params } = checkOptions(options).resolved;
  const engine = await createInlineEngine({
    tasks: { TASKS },
    setup: { params },
    store: new Store(),
    workerData: { [KERNEL_MODULE]: kernelModule },
  });
  const run = new Run(params, engine, undefined, undefined, UNBOUNDED);
  const root = temporaryFolder(t, { 'pairs/': '', 'candidates/': '', 'clusters/': '' });
  // By number: 1 and 2 have the same tokens in other bytes; 0 is empty.
  const keys = Uint32Array.from([5, 1, 1, 2, 3, 4].flatMap((key) => [key, 0, 0, 0]));
  const texts = Uint32Array.from([0, 1, 2, 3, 4, 5].flatMap((number) => [number, 0, 0, 0]));
  const groups = duplicateGroups(6, [{ numbers: Uint32Array.of(0, 1, 2, 3, 4, 5), keys, textKeys: texts }]);
  const pairs = {
    count: 3,
    a: Uint32Array.of(1, 1, 3),
    b: Uint32Array.of(3, 4, 5),
    agreement: Uint16Array.of(64, 32, 128),
  };
  const exact =
    params.verify === 'exact'
      ? {
          sizes: Uint32Array.of(0, 10, 10, 10, 10, 20),
          documentsReadAgain: 4,
        }
      : null;
  const common = Uint32Array.of(9, NOT_COMPARED, 8);
  const list = isInFiles ? new PairList(temporaryFolder(t)) : PairList.of(pairs, common);
  for (let i = 0; isInFiles && i < pairs.count; i++) list.write(oneOf(pairs, i));
  if (isInFiles) await list.compare(async ({ first }) => common.slice(first, first + 1));
  const rules = { groups, references: 0, onlyAgainst: false };
  const rowOf = Uint32Array.of(5, 4, 3, 2, 1, 0);
  const result = await writeTables(run, root, {
    documents: documentsOf(hasIds),
    numbered: { numberOf: rowOf, rowOf, documents: 6 },
    decided: await decide(params, rules, list, exact, () => [32]),
    exact,
    tally: [0, 7],
    listed: [
      { places: idTableOf(['x.txt']), codes: Uint8Array.of(LISTED_CODES.indexOf('DENIED')) },
      { places: idTableOf([]), codes: new Uint8Array(0) },
    ],
  });
  const read = (file: string): string[] => readFileSync(join(root, file), 'utf8').trimEnd().split('\n');
  return { result, read, root };
}

const oneOf = ({ a, b, agreement }: AgreeingNumbers, i: number): AgreeingNumbers => ({
  count: 1,
  a: a.slice(i, i + 1),
  b: b.slice(i, i + 1),
  agreement: agreement.slice(i, i + 1),
});

const options: RunOptions = { threshold: 0.8, candidates: 'all', hashes: 128 };

test('rows have the ids of documents, which may repeat, and their locations', async (t) => {
  const { result, read } = await written(t, options);
  t.deepEqual(read('pairs/part-00000.tsv'), [
    'a\tb\tjaccard\tagreement\tcontainment_a_in_b\tcontainment_b_in_a\tkind\ta_location\tb_location',
    'e\td\t1.000000\t1.000000\t1.000000\t1.000000\tsame-tokens\tf.jsonl#5\tf.jsonl#4',
    'e\ttab\\there\t0.818182\t0.500000\t0.900000\t0.900000\tnear\tf.jsonl#5\tf.jsonl#3',
  ]);
  t.deepEqual(read('candidates/part-00000.tsv'), [
    'a\tb\tagreement\tjaccard\taccepted\ta_location\tb_location',
    'e\ttab\\there\t0.500000\t0.818182\tyes\tf.jsonl#5\tf.jsonl#3',
    'e\tsame\t0.250000\t\tno\tf.jsonl#5\tf.jsonl#2',
    'tab\\there\tsame\t1.000000\t0.363636\tno\tf.jsonl#3\tf.jsonl#1',
  ]);
  t.deepEqual(read('clusters/part-00000.tsv'), [
    'cluster\tdocument\trole\tsimilarity\tbasis\tplace',
    '1\te\trepresentative\t1.000000\texact\tf.jsonl#5',
    '1\td\tmember\t1.000000\texact\tf.jsonl#4',
    '1\ttab\\there\tmember\t0.818182\texact\tf.jsonl#3',
  ]);
  t.deepEqual(read('duplicates.tsv'), [
    'document\tkept\tjaccard\tplace\tkept_place',
    'd\te\t1.000000\tf.jsonl#4\tf.jsonl#5',
    'tab\\there\te\t0.818182\tf.jsonl#3\tf.jsonl#5',
  ]);
  t.deepEqual(
    read('skipped.tsv').map((row) => row.split('\t').slice(0, 2)),
    [
      ['document', 'kind'],
      ['f.jsonl#6', 'empty'],
      ['x.txt', 'skipped'],
    ],
  );
  t.deepEqual(read('candidates/agreement.tsv').slice(1), [
    '0.007813\t7',
    '0.250000\t1',
    '0.500000\t1',
    '1.000000\t1',
  ]);
  t.is(result.candidatesListed, 3);
  t.deepEqual(
    result.files.map(({ file, rows }) => [file, rows]),
    [
      ['candidates/part-00000.tsv', 3],
      ['candidates/agreement.tsv', 4],
      ['pairs/part-00000.tsv', 2],
      ['clusters/part-00000.tsv', 3],
      ['duplicates.tsv', 2],
      ['skipped.tsv', 2],
    ],
  );
});

test('rows do not depend on whether pairs are in files', async (t) => {
  const [inMemory, inFiles] = [await written(t, options), await written(t, options, true, true)];
  t.deepEqual(inFiles.result, inMemory.result);
});

test('a document without an id has its location as id', async (t) => {
  const { read } = await written(t, { ...options, candidates: 'margin' }, false);
  t.is(read('pairs/part-00000.tsv').at(-1)?.split('\t')[0], 'f.jsonl#5');
  t.is(read('duplicates.tsv').at(-1), 'f.jsonl#3\tf.jsonl#5\t0.818182\tf.jsonl#3\tf.jsonl#5');
  t.is(read('candidates/part-00000.tsv').length, 2);
});

test('outside exact mode the similarity of a pair is that of its signatures', async (t) => {
  const { read } = await written(t, { ...options, verify: 'signature', candidates: 'none' });
  t.deepEqual(
    read('pairs/part-00000.tsv')
      .slice(2)
      .map((row) => row.split('\t').slice(0, 7)),
    [['tab\\there', 'same', '1.000000', '1.000000', '', '', 'near']],
  );
});

test('the digest of all documents does not depend on which are in rows', async (t) => {
  const digests = await Promise.all(
    [options, { ...options, verify: 'none' as const, candidates: 'none' as const }].map(
      async (one) => (await written(t, one)).result.contentDigest,
    ),
  );
  t.is(digests[0], digests[1]);
});
