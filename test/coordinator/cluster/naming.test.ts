/** Names, ranks and classes of documents by streaming stages, against the same in columns. */
import test from 'ava';
import fc from 'fast-check';
import { identityClasses } from '../../../reducers/identityClasses.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { EMPTY, HAS_ID } from '../../../src/blocks/documents.js';
import { idsIn } from '../../../src/blocks/idBlocks.js';
import type { IdTable } from '../../../src/blocks/ids.js';
import { classedCorpus } from '../../../src/coordinator/cluster/corpusFacts.js';
import { Jobs } from '../../../src/coordinator/cluster/jobs.js';
import { SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { namedRows } from '../../../src/coordinator/sketch/places.js';
import type { DatasetRecord } from '../../../src/engines/job.js';
import { checkOptions } from '../../../src/options/check.js';
import { fileKind } from '../../../src/readers/list/formats.js';
import { GatheredRecords } from '../../../src/tasks/stream/gatheredRecords.js';
import { IDENTICAL, KINDS, OF_RANKED, SAME_TOKENS } from '../../../src/tasks/stream/kinds.js';
import { compareKeys, u32At, u64At } from '../../../src/tasks/stream/records.js';
import { RECORD_FORMAT } from '../../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../../engines/processEngine.js';
import { createReferenceKernel } from '../../kernel/referenceKernel.js';
import { filesOf, splitsOf } from '../../tasks/manifestTables.js';
import { orderedDocuments } from './orderedDocuments.js';

const FILES = ['a', 'a#1', 'b.jsonl', 'c~1'];
/** Files of texts: `a#1` reads as the place of a line, were `a` lines. */
const WHOLE = [false, true, false, true];
const SPLITS: readonly (readonly [number, number])[] = [
  [0, 0],
  [10, 3],
];

interface Read {
  readonly file: number;
  /** Index in SPLITS, and line. */
  readonly split: number;
  readonly ordinal: number;
  readonly id: string | null;
  readonly content: number;
  readonly text: number;
}

/** Ids that repeat, read as places, end as clashes do, or have bytes that keys must tell apart. */
const ID = fc.oneof(
  fc.constantFrom(
    'x',
    'a#1',
    'a#1#',
    'a#2',
    'b.jsonl#1',
    'b.jsonl#4',
    'c~1',
    'c~1~1',
    'a#2~1',
    'c~2',
    'y~0003',
    'z~00000000000000007',
  ),
  fc.constantFrom('\0', '\0\0', 'x\0', '\xff', 'x\xff\0', '~', '~1', 'q~4'),
);

const READ: fc.Arbitrary<Read> = fc.record({
  file: fc.nat(3),
  split: fc.nat(1),
  ordinal: fc.nat(2),
  id: fc.option(ID, { freq: 3 }),
  content: fc.nat(2),
  text: fc.nat(30),
});

/** Where a document stands: no two are in one place, and files of one document have one. */
const recordOf = ({ file, split, ordinal }: Read): number => (WHOLE[file] ? -1 : SPLITS[split]![1] + ordinal);
const placeOf = (read: Read): string => {
  if (WHOLE[read.file]) return FILES[read.file] === 'a#1' ? 'a#1#' : FILES[read.file]!;
  return `${FILES[read.file]}#${recordOf(read) + 1}`;
};

const CORPUS = fc
  .uniqueArray(READ, { selector: placeOf, minLength: 1, maxLength: 14 })
  .map((reads) => reads.sort((one, other) => one.file - other.file || recordOf(one) - recordOf(other)));

/** Empty documents are those of one content. */
const flagsOf = ({ id, content }: Read): number => (id === null ? 0 : HAS_ID) | (content === 2 ? EMPTY : 0);

const tableOf = (ids: readonly string[]): IdTable => {
  const bytes = Buffer.from(ids.join(''), 'latin1');
  const offsets = new Uint32Array(ids.length + 1);
  ids.forEach((id, i) => {
    offsets[i + 1] = offsets[i]! + id.length;
  });
  return { offsets, bytes };
};

/** `id first kind` of every document, and the members of classes with the numbers of their texts. */
function inColumns(reads: readonly Read[]) {
  const all = tableOf(reads.map((read) => read.id ?? placeOf(read)));
  const named = namedRows(
    all,
    null,
    {
      isNamed: (row) => reads[row]!.id !== null,
      appendPlace: (row, out) => out.appendBinary(placeOf(reads[row]!)),
    },
    () => {},
  );
  const ids = idsIn(named.ids);
  const keysOf = (key: (read: Read) => number): Uint32Array =>
    Uint32Array.from(reads.flatMap((read) => [key(read), 5, 5, 5]));
  const texts = keysOf(({ text }) => text);
  const empty = Uint8Array.from(reads, ({ content }) => (content === 2 ? 1 : 0));
  const { first, members } = atOnce(
    identityClasses(
      keysOf(({ content }) => content),
      empty,
      (some) => Uint32Array.from([...some].flatMap((d) => [...texts.subarray(4 * d, 4 * d + 4)])),
    ),
  );
  return {
    ids: reads.map((_, d) =>
      Buffer.from(ids.bytes.slice(ids.offsets[d]!, ids.offsets[d + 1]!)).toString('latin1'),
    ),
    documents: reads.map((read, d) => `${placeOf(read)} ${first[d]}`),
    members: [...members.members].map((d, i) => `${first[d]} ${d} ${members.texts[i]}`),
    repeated: named.others.length,
  };
}

async function inStages(reads: readonly Read[], tasks: number) {
  const { params } = checkOptions({ threads: 0, paths: ['in'] }).resolved;
  const engine = new ProcessEngine({
    kernel: createReferenceKernel(),
    splits: [],
    mappers: tasks,
    reducers: tasks,
  });
  const files = FILES.map((id, i) => ({
    uri: id,
    id,
    bytes: 1,
    kind: fileKind(WHOLE[i] ? 'text' : 'jsonl', null),
  }));
  const jobs = new Jobs(engine, {
    format: RECORD_FORMAT,
    version: 'test',
    run: 'run',
    params,
    files: filesOf(files),
  });
  const splits = splitsOf(WHOLE.map((isWhole) => (isWhole ? [[0, 0] as const] : SPLITS)));
  jobs.learn({ splits, firsts: WHOLE.map((_, file) => 1000 * file) });
  const records: DatasetRecord[] = [];
  const gathered = new GatheredRecords(KINDS.read, {
    put: (key, value) => void records.push([key.slice(), value.slice()]),
  });
  reads.forEach((read, i) => {
    const id = Buffer.from(read.id ?? '', 'latin1');
    const head = gathered.add(id, 0, id.length).u32(read.content).u32(5).u32(5).u32(5).u32(read.file);
    if (WHOLE[read.file]) head.u64(0).u32(0xffffffff);
    else head.u64(SPLITS[read.split]![0]).u32(read.ordinal);
    head.u8(flagsOf(read)).u32(read.text).u32(5).u32(5).u32(5);
    head
      .f64(1)
      .f64(2)
      .f64(3)
      .u8(read.id === null ? 0 : 1);
    if (i % 3 === 0) gathered.flush();
  });
  gathered.flush();
  const sketched = await jobs.write('sketched', records);
  const documentsByFile = Uint32Array.of(reads.length);
  const counts = { documents: reads.length, documentsByFile, tooShort: 0, cut: 0, strides: null };
  const found = { ...counts, skipped: new SkipList(), leftOutRecords: [] };
  const sums = { 'named documents': reads.filter(({ id }) => id !== null).length };
  const classed = await classedCorpus(jobs, { name: sketched, sums }, found);
  const ofKind = (kind: number) =>
    engine.datasets
      .get(classed.name)!
      .filter(([key]) => key[0] === kind)
      .sort((one, other) => compareKeys(one[0], other[0]));
  const { name } = await jobs.run('resultRows', [...classed.documents, classed.name], { ordered: true });
  const documents = orderedDocuments(engine.datasets.get(name)!);
  const numbers = new Map(documents.map(({ rank }, d) => [rank, d]));
  return { classed, ofKind, documents, numbers };
}

test('names, ranks and classes are those of the columns', async (t) => {
  const corpora = fc.asyncProperty(CORPUS, fc.integer({ min: 1, max: 3 }), async (reads, tasks) => {
    const columns = inColumns(reads);
    const { classed, ofKind, documents, numbers } = await inStages(reads, tasks);
    const ids = documents.map(({ ranked }) => Buffer.from(ranked.subarray(OF_RANKED.id)).toString('latin1'));
    t.deepEqual(ids, columns.ids);
    t.is(classed.corpus.repeatedIds, columns.repeated);
    t.is(classed.corpus.namedDocuments, reads.filter(({ id }) => id !== null).length);
    const byPlace = new Map(
      reads.map((read) => [`${read.file} ${WHOLE[read.file] ? 2 ** 53 - 1 : recordOf(read)}`, read]),
    );
    const seen = documents.map(({ ranked, first }) => {
      const read = byPlace.get(`${u32At(ranked, 0)} ${u64At(ranked, 4)}`)!;
      return `${placeOf(read)} ${numbers.get(first)}`;
    });
    t.deepEqual(seen, columns.documents);
    // Members by class, each with the first member of the same text.
    const firstOfText = new Map<string, number>();
    const members = ofKind(KINDS.member).map(([key, value]) => {
      const [first, d] = [numbers.get(u64At(key, 1))!, numbers.get(u64At(key, 9))!];
      const text = `${first} ${u32At(value, 1)}`;
      if (!firstOfText.has(text)) firstOfText.set(text, d);
      t.is(value[0], firstOfText.get(text) === first ? IDENTICAL : SAME_TOKENS);
      return `${first} ${d} ${firstOfText.get(text)}`;
    });
    t.deepEqual(members, columns.members);
  });
  await fc.assert(corpora, { numRuns: 100, seed: 18 });
  t.pass();
});

test('members of a class keep numbers of their texts, however many there are', async (t) => {
  const reads = Array.from({ length: 100 }, (_, i): Read => {
    return { file: 2, split: 1, ordinal: i, id: `n${i}`, content: 1, text: (i * i) % 61 };
  });
  const { ofKind, numbers, classed } = await inStages(reads, 1);
  const textOf = new Map(
    ofKind(KINDS.member).map(([key, value]) => [numbers.get(u64At(key, 9)), u32At(value, 1)]),
  );
  const pairs = new Set(reads.map(({ text }, d) => `${text} ${textOf.get(d)}`));
  t.is(pairs.size, new Set(reads.map(({ text }) => text)).size);
  t.is(new Set(textOf.values()).size, pairs.size);
  t.deepEqual([classed.sums['identity classes'], classed.sums['identical documents']], [1, 99]);
});
