/**
 * Documents as jobs of an engine that sorts read, name and class them: the same as on threads, for every cut of the files into
 * splits.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { identityClasses } from '../../../reducers/identityClasses.js';
import { decodeBlock } from '../../../src/blocks/block.js';
import { idHashes } from '../../../src/blocks/ids.js';
import { gatherFacts, learnedOrder } from '../../../src/coordinator/cluster/corpusFacts.js';
import { Run } from '../../../src/coordinator/context.js';
import { type Corpus, SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { sketchCorpus } from '../../../src/coordinator/sketch/sketchCorpus.js';
import { FilesSource } from '../../../src/coordinator/sketch/source.js';
import { startEngine } from '../../../src/coordinator/start/engine.js';
import { SKIP_CODES } from '../../../src/errors.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { checkOptions, type RunOptions } from '../../../src/options/check.js';
import { listInputs } from '../../../src/readers/list/inputs.js';
import { placeEnd } from '../../../src/readers/list/pathIds.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { createMemoryStore } from '../../../src/store/store.js';
import {
  IDENTICAL,
  KINDS,
  OF_DOCUMENT,
  OF_RANKED,
  OF_SIGNATURE,
  SAME_TOKENS,
  WHOLE_RECORD,
} from '../../../src/tasks/stream/kinds.js';
import { compareKeys, f64At, u32At, u64At } from '../../../src/tasks/stream/records.js';
import { randomFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type ProcessRun, processRun } from '../../engines/corpusRows.js';
import { kernelModule } from '../../kernel/sketchKernels.js';

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
  /** By id of a first member: hash of the id, and slots. */
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
  const inputs = listInputs({ paths: execution.paths, outFolder: null, params });
  const store = createMemoryStore();
  const engine = await (await startEngine(params, execution, store)).ready;
  try {
    const run = new Run(params, engine, undefined, undefined);
    const source = new FilesSource(run, inputs.files, planPieces(inputs, params));
    const skipped = new SkipList();
    const { corpus } = await sketchCorpus(run, source, 1, skipped);
    const signatures = new Map<string, string>();
    const { ids, documents } = corpus;
    const idOf = (d: number): string => latin(ids.bytes.subarray(ids.offsets[d]!, ids.offsets[d + 1]!));
    const classes = identityClasses(corpus.contentKeys, corpus.empty, corpus.textKeys);
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
        const [low, high] = idHashes(ids, Uint32Array.of(d), params.seed);
        const slots = (found.slots as Uint32Array).subarray(from, from + hashes);
        signatures.set(idOf(d), `${hexOf(Uint32Array.of(high!, low!))} ${hexOf(slots)}`);
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

function placeOf(corpus: Corpus, d: number, files: ReturnType<typeof listInputs>['files']): string {
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
  readonly classes: string;
}

/** The records of a kind, in the order of their keys. */
const ofKind = ({ engine }: ProcessRun, job: string, kind: number) =>
  engine.datasets
    .get(job)!
    .filter(([key]) => key[0] === kind)
    .sort((one, other) => compareKeys(one[0], other[0]));

async function onStages(options: RunOptions, splitBytes: () => number, tasks = 3): Promise<Ordered> {
  const run = processRun(options, { kernel, splitBytes, mappers: tasks, reducers: tasks });
  const { jobs, inputs } = run;
  const sketched = await jobs.run('sketch', []);
  const found = await gatherFacts(jobs, await jobs.run('facts', [sketched.name], { reducers: 'one' }));
  const ordered = await learnedOrder(jobs, sketched.name, found);
  const { corpus } = ordered;
  const classes = await jobs.run('classes', [sketched.name, ordered.name]);
  const documents = ofKind(run, classes.name, KINDS.document);
  const idOf = new Map(
    documents.map(([key, value]) => [
      u64At(key, 1),
      latin(value.subarray(OF_DOCUMENT.ranked + OF_RANKED.id)),
    ]),
  );
  const seen = documents.map(([key, value]): Seen => {
    const ranked = value.subarray(OF_DOCUMENT.ranked);
    const facts = ranked.subarray(OF_RANKED.facts);
    const [file, record] = [u32At(ranked, 0), u64At(ranked, 4)];
    const number = inputs.files.addressNumber(file, record === WHOLE_RECORD ? -1 : record, 0);
    const hex = (from: number): string => Buffer.from(ranked.subarray(from, from + 16)).toString('hex');
    if (Buffer.compare(ranked.subarray(12, 16), ranked.subarray(16, 20)) !== 0)
      throw new Error('content of place');
    return {
      ...{ id: idOf.get(u64At(key, 1))!, place: inputs.files.id(file) + placeEnd(number), flags: facts[0]! },
      ...{ contentKey: hex(OF_RANKED.contentKey), textKey: hex(OF_RANKED.facts + 1) },
      sizes: [f64At(facts, 17), f64At(facts, 25), f64At(facts, 33)],
      ...{ first: idOf.get(u64At(value, OF_DOCUMENT.first))!, kind: value[OF_DOCUMENT.kindOfPair]! },
    };
  });
  const signatures = new Map<string, string>();
  for (const [key, value] of ofKind(run, classes.name, KINDS.signature)) {
    const { slots } = OF_SIGNATURE;
    const words = Uint32Array.from({ length: (value.length - slots) / 4 }, (_, i) =>
      Buffer.from(value).readUInt32LE(slots + 4 * i),
    );
    const hash = Buffer.from(value.subarray(OF_SIGNATURE.idHash, slots)).toString('hex');
    signatures.set(idOf.get(u64At(key, 1))!, `${hash} ${hexOf(words)}`);
  }
  const { repeatedIds, namedDocuments, skipped } = corpus;
  const result = {
    documents: seen,
    skipped: skipsIn(skipped),
    repeatedIds,
    isNamed: namedDocuments > 0,
    signatures,
  };
  return { seen: result, run, classes: classes.name };
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
  'b.jsonl': [record(PAGE, 'x'), record('six words are in this line', 'x'), record(PAGE), '"\ud800"'].join(
    '\n',
  ),
  'b.jsonl#2': 'a file whose name is a place',
  'c.txt': PAGE,
  'd/empty.jsonl': '',
  'd/lines.jsonl': '\n\n\n',
  'd/mark.jsonl': '\ufeff',
  'e.ndjson': `${record('a text that says more than it may say', 'long')}\n${record('é'.repeat(5), 5)}\n`,
  'f.jsonl.gz': gzipSync(`${record(PAGE, 'c.txt')}\n${record('packed words and no more', 'x')}\n`),
  'g.txt': '',
  'h.txt': Buffer.from('a\0binary'),
  'i.jsonl': Buffer.concat([Buffer.from(`${record(PAGE)}\n`), Buffer.from('\xff\xfe broken', 'latin1')]),
  'j.jsonl': Buffer.from(`\0${record(PAGE)}\n${record(PAGE, 'never')}\n{\n`),
};

test('odd files are read, named and classed as on threads, however they are cut', async (t) => {
  const folder = inFolder(t, ODD);
  for (let seed = 1; seed <= 6; seed++) await areSame(t, folder, { maxDocument: 60 + seed }, seed);
  const { seen } = await areSame(t, folder, { shingle: 'chars:3', hashes: 32, seed: 7 }, 9);
  t.true(seen.repeatedIds >= 3);
  t.true(seen.skipped.includes('j.jsonl BINARY'));
  t.true(seen.documents.some(({ kind }) => kind === SAME_TOKENS));
});
