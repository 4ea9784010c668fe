/**
 * Do samples of fingerprints, and signatures, find what they promise where many files share a licence header?
 *
 * Exact truth by brute force over the files of a folder, such as the unpacked sources of several releases of some
 * libraries; then runs by containment, mod-m, min-s and fss at T = 0.5, 0.8 and 0.9 over seeds 1..3. Fails when a reported
 * pair is false, when the recall is below what is promised, or when it is outside the bounds that the run estimated. Then the
 * same over a quarter and a half of the files: what candidates cost.
 *
 *     node dist/benchmarks/headers.js --sources FOLDER [--quick] [--out FOLDER]
 */
import './measure/plainErrors.js';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Report, type RunOptions, run } from '../src/index.js';
import { shingleSet } from '../src/text/shingles.js';
import { canonicalTokens } from '../src/text/tokens.js';
import { sharedShingles } from './corpora/licenses.js';
import { environment, type Row, record } from './measure/record.js';

const MODES: readonly RunOptions[] = [
  { measure: 'containment' },
  { sketch: 'mod-m' },
  { sketch: 'min-s' },
  {},
];
const THRESHOLDS = [0.5, 0.8, 0.9];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sources: { type: 'string' },
    out: { type: 'string' },
  },
});
if (values.sources === undefined) throw new Error('--sources FOLDER: the files to compare are missing');
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-headers-'));

interface Text {
  readonly id: string;
  readonly text: string;
  readonly set: Uint32Array;
}

/** The files of a folder, of those with the same words the first alone. */
function textsIn(root: string): Text[] {
  const params = { unit: 'words', size: 5, bag: false, stopWords: [], seed: 99 } as const;
  const known = new Set<string>();
  const texts: Text[] = [];
  for (const id of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!statSync(join(root, id)).isFile()) continue;
    const bytes = new Uint8Array(readFileSync(join(root, id)));
    const words = [...canonicalTokens(bytes, { unit: 'words' })].join(' ');
    if (words === '' || known.has(words)) continue;
    known.add(words);
    texts.push({ id, text: new TextDecoder().decode(bytes), set: shingleSet(bytes, params) });
  }
  return texts;
}

/** How many pairs reach each threshold by each measure, and whether one pair does. */
function truthOf(texts: readonly Text[]) {
  const shared = sharedShingles(texts.map(({ set }) => set));
  const numbers = new Map(texts.map(({ id }, i) => [id, i]));
  const measured = (i: number, j: number, measure: string): number => {
    const common = shared[Math.min(i, j) * texts.length + Math.max(i, j)]!;
    const [x, y] = [texts[i]!.set.length / 2, texts[j]!.set.length / 2];
    return measure === 'containment' ? common / Math.min(x, y) : common / (x + y - common);
  };
  return {
    is: (a: string, b: string, measure: string, threshold: number): boolean =>
      measured(numbers.get(a)!, numbers.get(b)!, measure) >= threshold,
    count: (measure: string, threshold: number): number => {
      let count = 0;
      for (let i = 0; i < texts.length; i++) {
        for (let j = i + 1; j < texts.length; j++) count += measured(i, j, measure) >= threshold ? 1 : 0;
      }
      return count;
    },
  };
}

/** A run over texts: its report, and how many of its near pairs are true. */
async function runOver(
  name: string,
  options: RunOptions,
  isTrue: (a: string, b: string) => boolean,
): Promise<{ readonly report: Report; readonly right: number; readonly wrong: number }> {
  const out = join(folder, 'out');
  rmSync(out, { recursive: true, force: true });
  const report = await run({ ...options, paths: [join(folder, name)], out });
  let [right, wrong] = [0, 0];
  for (const part of readdirSync(join(out, 'pairs'))) {
    for (const row of readFileSync(join(out, 'pairs', part), 'utf8')
      .split('\n')
      .slice(1, -1)) {
      const [a, b, , , , , kind] = row.split('\t');
      if (kind !== 'near') continue;
      if (isTrue(a!, b!)) right++;
      else wrong++;
    }
  }
  return { report, right, wrong };
}

const texts = textsIn(values.sources);
const truth = truthOf(texts);
for (const [name, step] of [
  ['quarter', 4],
  ['half', 2],
  ['whole', 1],
] as const) {
  const some = texts.filter((_, i) => i % step === 0).map(({ id, text }) => JSON.stringify({ id, text }));
  writeFileSync(join(folder, `${name}.jsonl`), some.map((line) => `${line}\n`).join(''));
}
const rows: Row[] = [];
const raw: unknown[] = [];
let broken = 0;
for (const mode of MODES) {
  for (const threshold of THRESHOLDS) {
    const measure = mode.measure ?? 'resemblance';
    const wanted = truth.count(measure, threshold);
    const isTrue = (a: string, b: string): boolean => truth.is(a, b, measure, threshold);
    for (const seed of values.quick ? [1] : [1, 2, 3]) {
      const options = { ...mode, threshold, seed };
      const { report, right, wrong } = await runOver('whole.jsonl', options, isTrue);
      const recall = right / wanted;
      const { recall: told, counts, sCurve } = report;
      const promised = sCurve.probability_at_threshold;
      // Bounds are for 95 of 100 samples, and here are dozens: half as wide again is 99.7 of 100.
      const more = told === undefined ? 0 : (told.upper - told.lower) / 4;
      const holds =
        told === undefined ? recall >= promised : told.lower - more <= recall && recall <= told.upper + more;
      if (wrong > 0 || !holds) broken++;
      const costs: string[] = [];
      for (const name of seed === 1 ? ['quarter', 'half'] : []) {
        const { counts: some } = (await runOver(`${name}.jsonl`, options, isTrue)).report;
        costs.push(`${some.candidate_pairs} for ${some.verified_pairs}`);
      }
      costs.push(`${counts.candidate_pairs} for ${counts.verified_pairs}`);
      rows.push([
        mode.measure ?? mode.sketch ?? 'fss',
        threshold.toFixed(1),
        seed,
        wanted,
        recall.toFixed(4),
        promised.toFixed(4),
        told === undefined
          ? ''
          : `${told.value.toFixed(3)} (${told.lower.toFixed(3)} to ${told.upper.toFixed(3)})`,
        counts.hot_buckets,
        costs.join(', '),
        wrong > 0 ? `${wrong} false pairs` : holds ? 'hold' : 'broken',
      ]);
      raw.push({ mode, threshold, seed, wanted, recall, promised, told, counts, costs });
    }
  }
}
rmSync(folder, { recursive: true, force: true });
const heads = ['mode', 'T', 'seed', 'true pairs', 'recall', 'promised', 'estimated', 'hot'];
const table = { heads: [...heads, 'candidates for near pairs: quarter, half, whole', 'laws'], rows };
record('headers', 'do samples find what they promise behind licence headers?', where, table, raw, values.out);
console.log(broken === 0 ? 'all laws hold' : `${broken} laws broken`);
process.exitCode = broken === 0 ? 0 : 1;
