/**
 * Documents as jobs of an engine that sorts read, name and class them: the same as on threads, for every cut of the files into
 * splits.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { collectHashes } from '../../../mappers/shingleSets.js';
import { identityClasses } from '../../../reducers/identityClasses.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { decodeBlock } from '../../../src/blocks/block.js';
import { EMPTY } from '../../../src/blocks/documents.js';
import { classedCorpus, gatherFacts } from '../../../src/coordinator/cluster/corpusFacts.js';
import { wantedFiles } from '../../../src/coordinator/cluster/roundSteps.js';
import { Run } from '../../../src/coordinator/context.js';
import { type Corpus, SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { sketchCorpus } from '../../../src/coordinator/sketch/sketchCorpus.js';
import { FilesSource } from '../../../src/coordinator/sketch/source.js';
import { startEngine } from '../../../src/coordinator/start/engine.js';
import { addressOf } from '../../../src/engines/cluster/clusterFiles.js';
import { SKIP_CODES } from '../../../src/errors.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { checkOptions, type RunOptions } from '../../../src/options/check.js';
import { findDocuments } from '../../../src/readers/find.js';
import { listInputs } from '../../../src/readers/list/inputs.js';
import { placeEnd, textOf } from '../../../src/readers/list/pathIds.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { Store } from '../../../src/store/store.js';
import {
  IDENTICAL,
  KINDS,
  OF_MEMBER,
  OF_RANKED,
  OF_SIGNATURE,
  SAME_TOKENS,
  WHOLE_RECORD,
} from '../../../src/tasks/stream/kinds.js';
import { compareKeys, f64At, u32At, u64At } from '../../../src/tasks/stream/records.js';
import { randomFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { corpusRows, type ProcessRun, processRun } from '../../engines/corpusRows.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { valuesRow } from '../../tasks/valuesRow.js';
import { orderedDocuments } from './orderedDocuments.js';

type Files = Readonly<Record<string, string | Uint8Array>>;

const kernel = createWasmKernel(kernelModule);
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** A document, as plain values that both ways of running give. */
interface Seen {
  readonly id: string;
  readonly place: string;
  readonly contentKey: string;
  readonly textKey: string;
  readonly flags: number;
  readonly sizes: readonly number[];
  readonly first: string;
  readonly kind: number;
}

interface SeenCorpus {
  readonly documents: readonly Seen[];
  readonly skipped: readonly string[];
  readonly repeatedIds: number;
  readonly isNamed: boolean;
  /** By id of a first member: its slots. */
  readonly signatures: ReadonlyMap<string, string>;
}

const skipsIn = (skipped: SkipList): string[] => {
  const { places, codes } = skipped.columns();
  const { offsets, bytes } = places;
  return Array.from(
    codes,
    (code, i) => `${latin(bytes.subarray(offsets[i]!, offsets[i + 1]!))} ${SKIP_CODES[code]}`,
  ).sort();
};

const hexOf = (words: Uint32Array): string =>
  [...words].map((word) => word.toString(16).padStart(8, '0')).join('');

async function onThreads(options: RunOptions): Promise<SeenCorpus> {
  const { params, execution } = checkOptions({ threads: 0, ...options }).resolved;
  const inputs = await listInputs({ paths: execution.paths, outFolder: null, params });
  const store = new Store();
  const engine = await (await startEngine(params, execution, store)).ready;
  try {
    const run = new Run(params, engine, undefined, undefined);
    const source = new FilesSource(run, inputs.files, planPieces(inputs, params));
    const skipped = new SkipList();
    const { corpus } = await sketchCorpus(run, source, 1, skipped);
    const signatures = new Map<string, string>();
    const { ids, documents } = corpus;
    const idOf = (d: number): string => latin(ids.bytes.subarray(ids.offsets[d]!, ids.offsets[d + 1]!));
    const classes = atOnce(identityClasses(corpus.contentKeys, corpus.empty, corpus.textKeys));
    const textOf = new Map<number, number>();
    classes.members.members.forEach((d, i) => {
      textOf.set(d, classes.members.texts[i]!);
    });
    const { hashes } = params.sketch as { readonly hashes: number };
    const seen = Array.from({ length: documents }, (_, d): Seen => {
      const column = corpus.columnOf[d]!;
      const { columns } = corpus.tables[corpus.blockOf[d]!]!;
      const first = classes.first[d]!;
      if (first === d && corpus.empty[d] === 0) {
        const name = `signatures/${corpus.blockOf[d]!}`;
        const { meta, columns: found } = decodeBlock(store.get(name), 'signatures', name);
        const from = column * (meta.stride as number);
        const slots = (found.slots as Uint32Array).subarray(from, from + hashes);
        signatures.set(idOf(d), hexOf(slots));
      }
      return {
        ...{ id: idOf(d), place: placeOf(corpus, d, inputs.files), flags: columns.flags[column]! },
        contentKey: hexOf(corpus.contentKeys.subarray(4 * d, 4 * d + 4)),
        textKey: hexOf(columns.textKey!.subarray(4 * column, 4 * column + 4)),
        sizes: [columns.occurrences[column]!, columns.textBytes![column]!, columns.tokens[column]!],
        first: idOf(first),
        kind: (textOf.get(d) ?? d) === first ? IDENTICAL : SAME_TOKENS,
      };
    });
    const isNamed = corpus.places !== null;
    return {
      documents: seen,
      skipped: skipsIn(skipped),
      repeatedIds: corpus.counts.repeatedIds,
      isNamed,
      signatures,
    };
  } finally {
    await engine.close();
  }
}

function placeOf(corpus: Corpus, d: number, files: Awaited<ReturnType<typeof listInputs>>['files']): string {
  if (corpus.places === null) {
    const { bytes, offsets } = corpus.ids;
    return latin(bytes.subarray(offsets[d]!, offsets[d + 1]!));
  }
  const { name, number } = corpus.places.of(Uint32Array.of(d));
  return files.id(name[0]!) + placeEnd(number[0]!);
}

interface Ordered {
  readonly seen: SeenCorpus;
  readonly run: ProcessRun;
  /** Documents in the order of the result. */
  readonly ordered: ReturnType<typeof orderedDocuments>;
}

/** The records of a kind, in the order of their keys. */
const ofKind = ({ engine }: ProcessRun, job: string, kind: number) =>
  engine.datasets
    .get(job)!
    .filter(([key]) => key[0] === kind)
    .sort((one, other) => compareKeys(one[0], other[0]));

async function onStages(options: RunOptions, splitBytes: () => number, tasks = 3): Promise<Ordered> {
  const run = await processRun(options, { kernel, splitBytes, mappers: tasks, reducers: tasks });
  const { jobs, inputs } = run;
  const sketched = await jobs.run('sketch', []);
  const found = await gatherFacts(jobs, sketched);
  const classes = await classedCorpus(jobs, sketched, found);
  const { corpus } = classes;
  const { name } = await jobs.run('resultRows', [...classes.documents, classes.name], { ordered: true });
  const ordered = orderedDocuments(run.engine.datasets.get(name)!);
  const idOf = new Map(ordered.map(({ rank, ranked }) => [rank, latin(ranked.subarray(OF_RANKED.id))]));
  const kinds = new Map(
    ofKind(run, classes.name, KINDS.member).map(([key, value]) => [
      u64At(key, 9),
      value[OF_MEMBER.kindOfPair]!,
    ]),
  );
  const seen = ordered.map(({ rank, first, ranked }): Seen => {
    const facts = ranked.subarray(OF_RANKED.facts);
    const [file, record] = [u32At(ranked, 0), u64At(ranked, 4)];
    const number = inputs.files.addressNumber(file, record === WHOLE_RECORD ? -1 : record, 0);
    const hex = (from: number): string => hexOf(new Uint32Array(ranked.slice(from, from + 16).buffer));
    if (Buffer.compare(ranked.subarray(12, 16), ranked.subarray(16, 20)) !== 0)
      throw new Error('content of place');
    return {
      ...{
        id: idOf.get(rank)!,
        place: inputs.files.id(file) + placeEnd(number),
        flags: facts[0]!,
      },
      ...{ contentKey: hex(OF_RANKED.contentKey), textKey: hex(OF_RANKED.facts + 1) },
      sizes: [f64At(facts, 17), f64At(facts, 25), f64At(facts, 33)],
      ...{ first: idOf.get(first)!, kind: kinds.get(rank) ?? IDENTICAL },
    };
  });
  const slots = new Map<string, string>();
  const signed = await jobs.run('signatures', [sketched.name, classes.name]);
  for (const [key, value] of ofKind(run, signed.name, KINDS.signature))
    slots.set(idOf.get(u64At(key, 1))!, hexOf(new Uint32Array(value.slice(OF_SIGNATURE.slots).buffer)));
  const firsts = seen.filter(({ id, first, flags }) => id === first && (flags & EMPTY) === 0);
  const signatures = new Map(firsts.map(({ id }) => [id, slots.get(id)!]));
  const { repeatedIds, namedDocuments, skipped } = corpus;
  const result = {
    documents: seen,
    skipped: skipsIn(skipped),
    repeatedIds,
    isNamed: namedDocuments > 0,
    signatures,
  };
  return { seen: result, run, ordered };
}

async function areSame(
  t: ExecutionContext,
  folder: string,
  options: RunOptions,
  seed: number,
): Promise<Ordered> {
  const random = randomFrom(seed);
  const paths = { paths: [join(folder, 'in')], ...options };
  const ordered = await onStages(paths, () => 1 + Math.floor(random() * 200), 1 + (seed % 3));
  t.deepEqual(ordered.seen, await onThreads(paths));
  return ordered;
}

const inFolder = (t: ExecutionContext, files: Files): string =>
  temporaryFolder(t, {
    'in/': '',
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`in/${name}`, content])),
  });

const record = (text: string, id?: string | number): string =>
  JSON.stringify({ ...(id !== undefined && { id }), text });

const PAGE = 'one two three four five six seven eight nine ten';
const ODD: Files = {
  'a.jsonl': `\ufeff${[
    record(PAGE, 'x'),
    '',
    record(PAGE.toUpperCase()),
    '{"text": "broken',
    '[1]',
    '  ',
    record('', 'nothing'),
    record('...', 'b.jsonl#2'),
    '{"id": "no text"}',
    '{"id": [], "text": "bad id"}',
    record('我们 在 这里 说 中文 的 文字 是 这样 写 的', 'cjk'),
  ].join('\r\n')}\r\n`,
  'b.jsonl': [
    record(PAGE, 'x'),
    record('six words are in this line', 'x'),
    `\ufeff${record(PAGE)}`,
    record(PAGE),
    '"\ud800"',
  ].join('\n'),
  'b.jsonl#2': 'a file whose name is a place',
  'c.txt': PAGE,
  'd/empty.jsonl': '',
  'd/lines.jsonl': '\n\n\n',
  'd/mark.jsonl': '\ufeff',
  'e.ndjson': `${record('a text that says more than it may say', 'long')}\n${record('é'.repeat(5), 5)}\n`,
  'f.jsonl.gz': gzipSync(`${record(PAGE, 'c.txt')}\n${record('packed words and no more', 'x')}\n`),
  'g.txt': '',
  'g2.txt': `${PAGE} ${PAGE}`,
  'h.txt': Buffer.from('a\0binary'),
  'h2.txt': Buffer.from(`a\0${PAGE.repeat(3)}`),
  'i.jsonl': Buffer.concat([Buffer.from(`${record(PAGE)}\n`), Buffer.from('\xff\xfe broken', 'latin1')]),
  'j.jsonl': Buffer.from(`\0${record(PAGE)}\n${record(PAGE, 'never')}\n{\n`),
};

test('odd files are read, named and classed as on threads, however they are cut', async (t) => {
  const folder = inFolder(t, ODD);
  for (let seed = 1; seed <= 3; seed++) await areSame(t, folder, { maxDocument: 60 + seed }, seed);
  const { seen } = await areSame(t, folder, { shingle: 'chars:3', hashes: 32, seed: 7 }, 9);
  t.true(seen.repeatedIds >= 3);
  t.true(seen.skipped.includes('j.jsonl BINARY'));
  t.true(seen.documents.some(({ kind }) => kind === SAME_TOKENS));
});

test('files that name no id and have no fault are in the order of their places', async (t) => {
  const lines = Array.from({ length: 12 }, (_, i) => record(`${PAGE} ${i % 5}`)).join('\n');
  const { seen } = await areSame(
    t,
    inFolder(t, { 'b.jsonl': lines, a: `{"text": "bare"}\n${lines}` }),
    {},
    3,
  );
  t.deepEqual([seen.repeatedIds, seen.isNamed, seen.skipped.length], [0, false, 0]);
  t.is(seen.documents[1]!.id, 'a#2');
});

/** The set of a text, as it is when it is read alone. */
function setOf(text: Uint8Array, shingle: ProcessRun['params']['shingle']): string {
  const wanted = { file: new Uint32Array(1), record: new Float64Array(1) };
  const { hashes } = collectHashes((sink) => sink.whole(0, 0, null, text, false), kernel, shingle, wanted);
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('hex');
}

test('the second reading gives the sets of wanted documents, and no other', async (t) => {
  // So many that some come to one place of what a task told already.
  const many = Array.from({ length: 600 }, (_, i) => record(`${i} is the number of ${PAGE}`)).join('\n');
  const folder = inFolder(t, { ...ODD, 'k.jsonl': many });
  const random = randomFrom(31);
  const cut = (): number => 1 + Math.floor(random() * 9000);
  const { run, ordered } = await onStages({ paths: [join(folder, 'in')] }, cut);
  const { engine, jobs, inputs, params } = run;
  const signatures = ordered
    .filter(({ rank, first }) => rank === first)
    .filter(({ ranked }) => (ranked[OF_RANKED.facts]! & EMPTY) === 0)
    .map(({ ranked }) => ranked.slice(0, 16));
  const ids = new Map(
    ordered.map(({ ranked }) => [latin(ranked.subarray(0, 16)), latin(ranked.subarray(OF_RANKED.id))]),
  );
  const texts = await findDocuments(inputs, params, new Set(ids.values()));
  for (const part of [0, 1, 2]) {
    const places = signatures.filter((_, i) => part === 2 || i % 2 === part);
    const wanted = await jobs.write(
      'wanted',
      places.map((place) => [Uint8Array.of(KINDS.wanted, ...place), Uint8Array.of(1)] as const),
    );
    const files = await wantedFiles(jobs, wanted, places.length);
    const side = await engine.side(`wanted-${part}`, files.wanted);
    jobs.learn({ sides: { wanted: side } });
    const { name } = await jobs.run('sets', [], { label: `${part}` });
    const found = ofKind(run, name, KINDS.set).map(([key, value]) => [
      latin(key.subarray(1)),
      Buffer.from(value).toString('hex'),
    ]);
    // None is so large that it is split: all have range 0 alone.
    const expected = places.map((place) => [
      `${latin(place)}\0\0`,
      setOf(texts.get(ids.get(latin(place))!)!, params.shingle),
    ]);
    t.deepEqual(
      found,
      expected.sort(([one], [other]) => (one! < other! ? -1 : 1)),
    );
  }
});

test('a part of a file that is read twice, or not at all, ends the run', async (t) => {
  const folder = inFolder(t, { 'a.jsonl': `${record(PAGE)}\n`.repeat(9), 'b.txt': PAGE });
  const options = { paths: [join(folder, 'in')] };
  const { params } = checkOptions({ threads: 0, ...options }).resolved;
  const { files } = await listInputs({ paths: options.paths, outFolder: null, params });
  const splits = corpusRows(files, () => 100);
  t.true(splits.length > 4);
  const gathered = async (some: readonly (typeof splits)[number][]): Promise<unknown> => {
    const { jobs } = await processRun(options, { kernel, splits: some });
    const sketched = await jobs.run('sketch', []);
    return gatherFacts(jobs, sketched);
  };
  await t.notThrowsAsync(gathered(splits));
  const [first, second] = splits;
  const other = [{ file: 'file:/other', start: 0, bytes: Buffer.from('{"text": "of no input"}') }];
  await t.notThrowsAsync(gathered([other, ...splits, other]));
  for (const [some, message] of [
    [[...splits, second!], /a\.jsonl: the split at \d+ was read twice/],
    [splits.filter((split) => split !== second), /a\.jsonl: \d+ of \d+ bytes were read/],
    [splits.filter((split) => split !== first), /a\.jsonl: its beginning was not read/],
    [splits.slice(0, -1), /b\.txt: nothing of its 48 bytes was read/],
  ] as const) {
    await t.throwsAsync(gathered(some), { code: 'JOB_COUNTS', message });
  }
});

test('a row that is read twice, or not at all, and a file without texts end the run', async (t) => {
  const options = { paths: [join(inFolder(t, { 'a.parquet': 'PAR1' }), 'in')] };
  const { params } = checkOptions({ threads: 0, ...options }).resolved;
  const { files } = await listInputs({ paths: options.paths, outFolder: null, params });
  const file = addressOf(textOf(files.path(0)));
  const gathered = async (splits: readonly (readonly number[])[], text: string | null): Promise<unknown> => {
    const rows = splits.map((some) => some.map((start) => ({ file, start, bytes: valuesRow(text, null) })));
    const { jobs } = await processRun(options, { kernel, splits: rows });
    const sketched = await jobs.run('sketch', []);
    return gatherFacts(jobs, sketched);
  };
  // Splits of a file that a task reads one after the other need not follow one another.
  t.like(await gathered([[3, 4, 5, 0, 1], [6, 7], [2]], PAGE), { documents: 8 });
  for (const [splits, message] of [
    [[[0, 1, 2], [2]], /a\.parquet: row 2 was read twice/],
    [[[0, 1], [4]], /a\.parquet: rows 2 to 3 were not read/],
    [[[1]], /a\.parquet: rows 0 to 0 were not read/],
    [[], /a\.parquet: nothing of its 4 bytes was read/],
  ] as const)
    await t.throwsAsync(gathered(splits, PAGE), { code: 'JOB_COUNTS', message });
  await t.throwsAsync(gathered([[0, 1]], null), { code: 'INPUT_REFUSED', message: /a\.parquet: no row has/ });
});

test('with --on-error fail the first skip ends the run, as on threads', async (t) => {
  const folder = inFolder(t, { 'a.jsonl': `${record(PAGE)}\n[]\n{\n`, 'b.jsonl': '{' });
  const options: RunOptions = { paths: [join(folder, 'in')], onError: 'fail' };
  const refused = await t.throwsAsync(onThreads(options), { code: 'INPUT_REFUSED' });
  await t.throwsAsync(
    onStages(options, () => 70),
    { code: 'INPUT_REFUSED', message: refused.message },
  );
});

test('JSON lines in UTF-16 are refused by name', async (t) => {
  const folder = inFolder(t, { 'a.jsonl': Buffer.from(`\ufeff${record(PAGE)}\n`, 'utf16le') });
  await t.throwsAsync(
    onStages({ paths: [join(folder, 'in')] }, () => 1000),
    {
      code: 'INPUT_REFUSED',
      message: /a\.jsonl is UTF-16; expected UTF-8/,
    },
  );
});
