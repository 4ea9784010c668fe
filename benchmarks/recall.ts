/**
 * How many of the true pairs does `run` find, and is every reported pair true?
 *
 * The truth is brute force over the shingle sets of the 728 SPDX licence texts, with the product's own canonical text.
 * Runs have thresholds 0.5, 0.7, 0.8, 0.9, seeds 1 to 5, all sketches, words:5 and chars:9. Prints recall and
 * precision, and fails if a law is broken: precision 1, all identical documents found, every dropped document has a
 * kept near-duplicate, and recall within its statistical error of the expected recall.
 *
 * `--templates PAGES` measures instead how much is found of so many pages from templates, and `--pages FOLDER` of the
 * pages below a folder, by default and with `--hot-bucket 256` (pageRecall.ts). `--records FILE.csv` measures the same
 * for the lines of a file without their first column, by shingles of four characters; it can be repeated.
 *
 *      node dist/benchmarks/recall.js [--quick] [--templates PAGES] [--pages FOLDER] [--records FILE.csv] [--rounds 2] [--out FOLDER]
 */
import './measure/plainErrors.js';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { probabilityOfCandidate, run, type SketchName } from '../src/index.js';
import { intersectionSize, resemblanceOf } from '../src/sketch/similarity.js';
import type { ShingleUnit } from '../src/text/shingles.js';
import { shingleSet } from '../src/text/shingles.js';
import { canonicalTokens } from '../src/text/tokens.js';
import { PROSE, pagesOf } from './corpora/pages.js';
import { type TemplatePage, templatePages } from './corpora/templates.js';
import { environment, type Row, record } from './measure/record.js';
import { PAGE_HEADS, PAGE_SHINGLES, pageRecall, RECORD_SHINGLES } from './pageRecall.js';

const LICENSES = join(dirname(createRequire(import.meta.url).resolve('spdx-license-list')), 'licenses');
const THRESHOLDS = [0.5, 0.7, 0.8, 0.9];
const SKETCHES: readonly SketchName[] = ['fss', 'classic'];
const UNITS: readonly { unit: ShingleUnit; size: number }[] = [
  { unit: 'words', size: 5 },
  { unit: 'chars', size: 9 },
];
const RECALL = 0.95;
/** Standard errors by which a mean over seeds may be too low. */
const ERRORS_ALLOWED = 4;

interface Truth {
  readonly names: readonly string[];
  /** Similarity of documents i < j at key i * n + j, if it is at least 0.5. */
  readonly near: ReadonlyMap<number, number>;
  /** Pairs with the same token sequence, with the same keys. */
  readonly identical: ReadonlySet<number>;
}

function readTexts(): { names: string[]; texts: Uint8Array[] } {
  const names = readdirSync(LICENSES).sort();
  const texts = names.map((name) => {
    const { licenseText } = JSON.parse(readFileSync(join(LICENSES, name), 'utf8')) as { licenseText: string };
    return new TextEncoder().encode(licenseText);
  });
  return { names, texts };
}

/** Every pair, by merging sorted sets; pairs whose sizes exclude 0.5 are not merged. */
function bruteForce(unit: ShingleUnit, size: number): Truth {
  const { names, texts } = readTexts();
  const n = names.length;
  const sets = texts.map((text) => shingleSet(text, { unit, size, bag: false, stopWords: [], seed: 99 }));
  const sequences = texts.map((text) => canonicalTokens(text, { unit }).join('\u0000'));
  const near = new Map<number, number>();
  const identical = new Set<number>();
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const a = sets[i]!.length / 2;
      const b = sets[j]!.length / 2;
      if (2 * Math.min(a, b) < Math.max(a, b)) continue;
      const common = intersectionSize(sets[i]!, 0, a, sets[j]!, 0, b);
      const resemblance = resemblanceOf(common, a, b);
      if (resemblance >= 0.5) near.set(i * n + j, resemblance);
      if (sequences[i] === sequences[j] && sequences[i] !== '') identical.add(i * n + j);
    }
  }
  return { names, near, identical };
}

interface Result {
  readonly pairs: ReadonlyMap<number, 'identical' | 'same-tokens' | 'near'>;
  readonly dropped: readonly (readonly [document: number, kept: number])[];
  readonly bands: number;
  readonly rows: number;
}

function rowsOf(file: string): string[][] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(1, -1);
  return lines.map((line) => line.split('\t'));
}

async function runOnce(
  spec: string,
  sketch: SketchName,
  threshold: number,
  seed: number,
  truth: Truth,
): Promise<Result> {
  const out = mkdtempSync(join(tmpdir(), 'mr-minhash-recall-'));
  try {
    const report = await run({
      paths: [LICENSES],
      textField: 'licenseText',
      shingle: spec,
      sketch,
      threshold,
      seed,
      recall: RECALL,
      out,
    });
    const number = new Map(truth.names.map((name, i) => [name, i]));
    const key = (a: string, b: string): number => number.get(a)! * truth.names.length + number.get(b)!;
    const pairs = rowsOf(join(out, 'pairs/part-00000.tsv')).map(
      ([a, b, , , , , kind]) => [key(a!, b!), kind as 'identical' | 'same-tokens' | 'near'] as const,
    );
    const dropped = rowsOf(join(out, 'duplicates.tsv')).map(
      ([document, kept]) => [number.get(document!)!, number.get(kept!)!] as const,
    );
    return { pairs: new Map(pairs), dropped, ...report.parameters.banding! };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

interface Score {
  readonly found: number;
  readonly expected: number;
  readonly variance: number;
  readonly total: number;
  readonly reported: number;
  readonly truePairs: number;
  readonly problems: readonly string[];
}

/** Members of one duplicate group share the near pairs of their first member, so only first members are counted. */
function score(result: Result, truth: Truth, threshold: number): Score {
  const n = truth.names.length;
  const problems: string[] = [];
  const later = new Set([...truth.identical].map((key) => key % n));
  let found = 0;
  let expected = 0;
  let variance = 0;
  let total = 0;
  for (const [key, resemblance] of truth.near) {
    const [i, j] = [Math.floor(key / n), key % n];
    if (resemblance < threshold || truth.identical.has(key) || later.has(i) || later.has(j)) continue;
    total++;
    if (result.pairs.get(key) === 'near') found++;
    const probability = probabilityOfCandidate(resemblance, result.bands, result.rows);
    expected += probability;
    variance += probability * (1 - probability);
  }
  for (const key of truth.identical) {
    const kind = result.pairs.get(key);
    if (kind === undefined || kind === 'near')
      problems.push(`pair of the same tokens ${nameOf(truth, key)} is missing`);
  }
  let truePairs = 0;
  for (const key of result.pairs.keys()) {
    if ((truth.near.get(key) ?? 0) >= threshold || truth.identical.has(key)) truePairs++;
    else problems.push(`false pair ${nameOf(truth, key)}`);
  }
  problems.push(...dropProblems(result, truth, threshold));
  return { found, expected, variance, total, reported: result.pairs.size, truePairs, problems };
}

function nameOf(truth: Truth, key: number): string {
  const n = truth.names.length;
  return `${truth.names[Math.floor(key / n)]} and ${truth.names[key % n]}`;
}

/** The laws of the drop list, against exact truth. */
function dropProblems(result: Result, truth: Truth, threshold: number): string[] {
  const n = truth.names.length;
  const dropped = new Set(result.dropped.map(([document]) => document));
  const problems: string[] = [];
  for (const [document, kept] of result.dropped) {
    const alike = truth.near.get(kept * n + document) ?? 0;
    if (kept >= document || dropped.has(kept))
      problems.push(`${truth.names[document]} is dropped for no earlier kept`);
    else if (alike < threshold) problems.push(`${truth.names[document]} is dropped for one at ${alike}`);
  }
  for (const key of result.pairs.keys()) {
    if (!dropped.has(Math.floor(key / n)) && !dropped.has(key % n)) {
      problems.push(`both kept: ${nameOf(truth, key)}`);
    }
  }
  return problems;
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    templates: { type: 'string' },
    pages: { type: 'string' },
    records: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '2' },
    out: { type: 'string' },
  },
});
const where = environment();
const rows: Row[] = [];
const raw: unknown[] = [];
let broken = 0;
if (values.templates !== undefined || values.pages !== undefined || values.records.length > 0)
  await recallOfPages();
else await recallOfLicenses();
console.log(broken === 0 ? 'all laws hold' : `${broken} laws broken`);
process.exitCode = broken === 0 ? 0 : 1;

async function recallOfPages(): Promise<void> {
  const { templates, pages, records, rounds } = values;
  const corpora: (readonly [
    string,
    Iterable<TemplatePage>,
    typeof PAGE_SHINGLES | typeof RECORD_SHINGLES,
  ])[] = [];
  if (templates !== undefined)
    corpora.push([`${templates} from templates`, templatePages(Number(templates)), PAGE_SHINGLES]);
  if (pages !== undefined) corpora.push([`below ${basename(pages)}`, pagesIn(pages), PAGE_SHINGLES]);
  for (const file of records) corpora.push([basename(file), recordsIn(file), RECORD_SHINGLES]);
  for (const [title, some, shingles] of corpora) {
    const result = await pageRecall(title, some, Number(rounds), shingles);
    rows.push(...result.rows);
    raw.push(...result.raw);
    broken += result.broken;
  }
  const question = 'how much is found by default where pages come from templates, and what does it cost?';
  record('pageRecall', question, where, { heads: PAGE_HEADS, rows }, raw, values.out);
}

function* pagesIn(folder: string): Generator<TemplatePage> {
  for (const { path, text } of pagesOf(folder, PROSE)) yield { id: path, text };
}

/** The lines of a file after the first, without their first column. */
function* recordsIn(file: string): Generator<TemplatePage> {
  for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    const id = line.split(',', 1)[0]!;
    yield { id, text: line.slice(id.length + 1) };
  }
}

async function recallOfLicenses(): Promise<void> {
  const seeds = values.quick ? [1] : [1, 2, 3, 4, 5];
  for (const { unit, size } of UNITS) {
    const truth = bruteForce(unit, size);
    for (const sketch of SKETCHES) {
      for (const threshold of THRESHOLDS) {
        const scores: Score[] = [];
        let banding = '';
        for (const seed of seeds) {
          const result = await runOnce(`${unit}:${size}`, sketch, threshold, seed, truth);
          banding = `${result.bands} x ${result.rows}`;
          scores.push(score(result, truth, threshold));
        }
        broken += judge(`${unit}:${size}`, sketch, threshold, banding, scores);
      }
    }
  }
  const heads = [
    'shingles',
    'sketch',
    'T',
    'bands x rows',
    'true pairs',
    'recall by seed',
    'mean',
    'expected',
  ];
  const question = 'does recall keep what the S-curve promises?';
  record('recall', question, where, { heads: [...heads, 'precision', 'laws'], rows }, raw, values.out);
}

/** Adds a row; returns the number of broken laws. */
function judge(spec: string, sketch: string, threshold: number, banding: string, scores: Score[]): number {
  const sum = (pick: (one: Score) => number): number => scores.reduce((total, one) => total + pick(one), 0);
  const total = sum((one) => one.total);
  const mean = sum((one) => one.found) / total;
  const expected = sum((one) => one.expected) / total;
  // Pairs of one family of licences are found or missed together, so the error of the mean is estimated from the
  // spread of the seeds. The binomial error over pairs is its lower limit.
  const recalls = scores.map((one) => one.found / one.total);
  const spread =
    recalls.reduce((all, recall) => all + (recall - mean) ** 2, 0) / Math.max(1, recalls.length - 1);
  const error = Math.sqrt(Math.max(spread / recalls.length, sum((one) => one.variance) / total ** 2));
  const problems = scores.flatMap((one) => one.problems);
  if (mean < RECALL - ERRORS_ALLOWED * error) problems.push(`recall ${mean} is below ${RECALL}`);
  const precision = sum((one) => one.truePairs) / sum((one) => one.reported);
  const cells = [
    spec,
    sketch,
    threshold.toFixed(1),
    banding,
    String(total / scores.length),
    recalls.map((recall) => recall.toFixed(4)).join(' '),
    mean.toFixed(4),
    expected.toFixed(4),
    precision.toFixed(6),
    problems.length === 0 ? 'hold' : `${problems.length} broken: ${problems[0]}`,
  ];
  rows.push(cells);
  raw.push({ spec, sketch, threshold, banding, scores });
  return problems.length;
}
