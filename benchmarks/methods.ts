/**
 * What does each method of `query` find and miss, and what does it cost?
 *
 *      node dist/benchmarks/methods.js [--bases 20] [--others 400] [--pool debian|npm] [--cache DIR] [--out FOLDER]
 *
 * Texts are cut from public packages (corpora/pool.ts), each part once. From every base text documents are derived
 * that share something with it: a copy, the same words in other bytes, edited words, moved parts, a replaced half, a
 * passage inside an unrelated text, the whole text inside a longer one. Many other documents share nothing. The table
 * has the derived documents found at the default threshold, those that rank before every unrelated document, and
 * unrelated answers.
 * Times are processor times of one thread, the least of three: per document that of a query for a base of one word,
 * per pair what each further base adds. Before anything is printed, similarity and containment are compared with
 * values that are counted from the texts, and every method must find every copy.
 */
import './measure/plainErrors.js';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { containment, METHOD_NAMES, type MethodName, query, resemblance } from '../src/index.js';
import { edited } from './corpora/edits.js';
import { Pool, poolBytes } from './corpora/pool.js';
import { between, randomOf } from './corpora/random.js';
import { countOf, UsageError } from './measure/plainErrors.js';
import { environment, type Row, record } from './measure/record.js';

const { values } = parseArgs({
  options: {
    bases: { type: 'string', default: '20' },
    others: { type: 'string', default: '400' },
    pool: { type: 'string', default: 'debian' },
    cache: { type: 'string', default: join(tmpdir(), 'mr-minhash-corpora') },
    out: { type: 'string' },
  },
});
const poolName = values.pool;
if (poolName !== 'debian' && poolName !== 'npm')
  throw new UsageError(`--pool ${poolName}: expected debian or npm`);
const where = environment();
mkdirSync(values.cache, { recursive: true });
const random = randomOf(15);
const pool = new Pool(poolBytes(poolName, values.cache), randomOf(16));

/** A text of about so many bytes, as a reader takes it. */
const piece = (length: number): string => Buffer.from(pool.piece(length), 'latin1').toString('utf8');

/** Bytes of a base, about 2,000 words. */
const BASE_BYTES = 12_000;

interface Planted {
  readonly id: string;
  readonly base: number;
  readonly kind: string;
  readonly text: string;
}

const wordsIn = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** The text with a `share` of it moved from the middle to its beginning, in pieces of equal length. */
function moved(text: string, share: number): string {
  const words = wordsIn(text);
  const from = Math.floor(words.length / 2);
  const part = words.splice(from, Math.floor(words.length * share));
  return [...part, ...words].join(' ');
}

/** The text cut into `pieces` equal parts in random order. */
function shuffled(text: string, pieces: number): string {
  const words = wordsIn(text);
  const length = Math.ceil(words.length / pieces);
  const parts = Array.from({ length: pieces }, (_, i) => words.slice(i * length, (i + 1) * length).join(' '));
  for (let i = parts.length - 1; i > 0; i--) {
    const other = between(random, 0, i + 1);
    [parts[i], parts[other]] = [parts[other]!, parts[i]!];
  }
  return parts.join(' ');
}

/** So many words from the middle of a text, inside an unrelated text of the length of a base. */
function passageIn(text: string, length: number): string {
  const words = wordsIn(text);
  const from = Math.floor((words.length - length) / 2);
  const other = wordsIn(piece(BASE_BYTES));
  const at = Math.floor(other.length / 2);
  return [...other.slice(0, at), ...words.slice(from, from + length), ...other.slice(at)].join(' ');
}

const half = (text: string): string => {
  const words = wordsIn(text);
  return `${words.slice(0, words.length / 2).join(' ')} ${piece(BASE_BYTES / 2)}`;
};

const KINDS: Readonly<Record<string, (text: string) => string>> = {
  copy: (text) => text,
  'same words': (text) => text.replace(/[a-z]+/g, (word) => word.toUpperCase()).replaceAll('\n', '  \n'),
  '5 % edited': (text) => edited(text, 0.05, pool, random),
  '20 % edited': (text) => edited(text, 0.2, pool, random),
  '30 % moved': (text) => moved(text, 0.3),
  '10 parts shuffled': (text) => shuffled(text, 10),
  'half replaced': half,
  '300 words inside': (text) => passageIn(text, 300),
  '100 words inside': (text) => passageIn(text, 100),
  '30 words inside': (text) => passageIn(text, 30),
  'whole inside': (text) => `${piece(3 * BASE_BYTES)} ${text} ${piece(2 * BASE_BYTES)}`,
};

const bases = Array.from({ length: countOf('--bases', values.bases) }, () => piece(BASE_BYTES));
const planted = bases.flatMap((text, base) =>
  Object.entries(KINDS).map(
    ([kind, make]): Planted => ({ id: `${kind} ${base}`, base, kind, text: make(text) }),
  ),
);
const others = Array.from({ length: countOf('--others', values.others) }, (_, i) => ({
  id: `other ${i}`,
  text: piece(between(random, 3000, 40_000)),
}));
const corpus = [...others, ...planted.map(({ id, text }) => ({ id, text }))];
const bytes = corpus.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
const byId = new Map(planted.map((one) => [one.id, one]));

interface Found {
  readonly milliseconds: number;
  /** By base: ids from the best to the worst. */
  readonly ranked: readonly (readonly string[])[];
}

type MethodSetting = { readonly method: MethodName; readonly pieces?: number };

async function ask(setting: MethodSetting, texts: readonly string[], threshold?: number): Promise<Found> {
  const ranked: string[][] = texts.map(() => []);
  const start = process.cpuUsage();
  const options = {
    ...setting,
    top: 'all',
    threads: 0,
    ...(threshold === undefined ? {} : { threshold }),
  } as const;
  for await (const { base, document, values: told } of query(texts, corpus, options)) {
    ranked[base]!.push(document);
    if (setting.method === 'resemblance' || setting.method === 'containment')
      check(texts[base]!, document, told);
  }
  const { user, system } = process.cpuUsage(start);
  return { milliseconds: (user + system) / 1000, ranked };
}

const textOf = new Map(corpus.map(({ id, text }) => [id, text]));
let checked = 0;
const ROUNDS = 3;
/** Methods whose values may exceed 1. */
const UNBOUNDED: readonly MethodName[] = ['identity', 'inner-product', 'normalised-inner-product'];

/** Computed from the texts, for some answers. */
function check(base: string, document: string, told: Readonly<Record<string, number>>): void {
  if (checked++ % 10 > 0) return;
  const text = textOf.get(document)!;
  const counted = [resemblance(base, text), containment(base, text), containment(text, base)];
  const reported = [told.resemblance, told.base_in_document, told.document_in_base];
  if (counted.some((value, i) => value !== reported[i]))
    throw new Error(`${document}: ${reported}, counted ${counted}`);
}

/** The least time in milliseconds of a query with few answers. */
async function least(setting: MethodSetting, texts: readonly string[]): Promise<number> {
  // Only copies are answers, or nothing is.
  const highest = UNBOUNDED.includes(setting.method) ? 1e9 : 1;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push((await ask(setting, texts, highest)).milliseconds);
  return Math.min(...times);
}

const SETTINGS: readonly MethodSetting[] = METHOD_NAMES.flatMap((method): MethodSetting[] =>
  method === 'sswf' ? [{ method }, { method, pieces: 10 }] : [{ method }],
);
const nameOf = ({ method, pieces }: MethodSetting): string =>
  pieces === undefined ? method : `${method} --pieces ${pieces}`;

const finding: Row[] = [];
const ranking: Row[] = [];
const costing: Row[] = [];
const raw: unknown[] = [];
for (const setting of SETTINGS) {
  const found = await ask(setting, bases);
  const low = await ask(setting, bases, 1e-9);
  // A base of one word that no text has, one base, and all bases: nothing is an answer.
  const none = await least(setting, ['nowhereatall']);
  const one = await least(setting, bases.slice(0, 1));
  const all = await least(setting, bases);
  const shares = Object.keys(KINDS).map((kind) => {
    const of = planted.filter((plant) => plant.kind === kind);
    const hits = of.filter(({ id, base }) => found.ranked[base]!.includes(id)).length;
    const firsts = of.filter(({ id, base }) => isFirst(low.ranked[base]!, id, base)).length;
    return { kind, found: hits / of.length, first: firsts / of.length };
  });
  if (shares[0]!.found < 1) throw new Error(`${nameOf(setting)} missed a copy`);
  const wrong = found.ranked.map((ids, base) => ids.filter((id) => byId.get(id)?.base !== base).length);
  const falsePositives = wrong.reduce((sum, count) => sum + count, 0) / bases.length;
  finding.push([
    nameOf(setting),
    ...shares.map((share) => share.found.toFixed(2)),
    falsePositives.toFixed(2),
  ]);
  ranking.push([nameOf(setting), ...shares.map((share) => share.first.toFixed(2))]);
  const pairs = corpus.length * (bases.length - 1);
  costing.push([
    nameOf(setting),
    (bytes / 1000 / none).toFixed(0),
    ((1000 * none) / corpus.length).toFixed(0),
    (Math.max(0, 1000 * (all - one)) / pairs).toFixed(1),
  ]);
  raw.push({ setting, shares, falsePositives, none, one, all });
}

/** Whether a document ranks before every document that shares nothing with the base. */
function isFirst(ids: readonly string[], id: string, base: number): boolean {
  const at = ids.indexOf(id);
  return at >= 0 && ids.slice(0, at).every((before) => byId.get(before)?.base === base);
}

const about = `${bases.length} bases, ${corpus.length} documents, ${(bytes / 1e6).toFixed(0)} MB, pool ${poolName}`;
const kinds = Object.keys(KINDS);
const methods = (heads: readonly string[], rows: readonly Row[]) => ({ heads: ['method', ...heads], rows });
record(
  'methods',
  `what does each method find at its threshold? (${about})`,
  where,
  methods([...kinds, 'false a base'], finding),
  raw,
  values.out,
);
record(
  'methodsRanks',
  'what ranks before everything that shares nothing, at any threshold?',
  where,
  methods(kinds, ranking),
  [],
  values.out,
);
record(
  'methodsCosts',
  'what does a method cost, on one thread?',
  where,
  methods(['MB/s of reading', 'us a document', 'us a pair'], costing),
  [],
  values.out,
);
