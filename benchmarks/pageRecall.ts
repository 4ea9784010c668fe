/**
 * How much does `run` find by default if pages come from templates, and what does it cost?
 *
 * All true pairs come from an exact join (exactJoin.ts), which is first compared with all pairs of a few hundred
 * pages. Then the built command runs by default and with `--hot-bucket 256`, in turn. Pages with the tokens of an
 * earlier page are skipped. Fails if more pairs are found than are true, or fewer than expected in a run without
 * capped buckets.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probabilityOfCandidate } from '../src/index.js';
import { intersectionSize, resemblanceOf } from '../src/sketch/similarity.js';
import { shingleSet } from '../src/text/shingles.js';
import { canonicalTokens } from '../src/text/tokens.js';
import type { TemplatePage } from './corpora/templates.js';
import { exactJoin } from './exactJoin.js';
import { runInto } from './measure/product.js';
import type { Row } from './measure/record.js';

const THRESHOLDS = [0.5, 0.6, 0.8];
/** The shingles of pages, and of records. */
export const PAGE_SHINGLES = { unit: 'words', size: 5 } as const;
export const RECORD_SHINGLES = { unit: 'chars', size: 4 } as const;
type Shingles = typeof PAGE_SHINGLES | typeof RECORD_SHINGLES;
/** Number of pages all of whose pairs are compared. */
const CHECKED = 400;

export const PAGE_HEADS = [
  ...['pages', 'T', 'true pairs', 'limit', 'capped', 'found', 'promised', 'with 256'],
  ...['CPU s', 'CPU s with 256', 'times', 'peak MB'],
];

interface Pages {
  readonly lines: readonly string[];
  readonly sets: readonly Uint32Array[];
}

function differentPages(pages: Iterable<TemplatePage>, shingles: Shingles): Pages {
  const seen = new Set<string>();
  const lines: string[] = [];
  const sets: Uint32Array[] = [];
  for (const page of pages) {
    const bytes = new TextEncoder().encode(page.text);
    const tokens = canonicalTokens(bytes, { unit: shingles.unit }).join(' ');
    if (tokens === '' || seen.has(tokens)) continue;
    seen.add(tokens);
    lines.push(JSON.stringify(page));
    sets.push(shingleSet(bytes, { ...shingles, bag: false, stopWords: [], seed: 99 }));
  }
  return { lines, sets };
}

/** @throws Error if the join differs from all pairs of a few pages */
function checkJoin(sets: readonly Uint32Array[]): void {
  const few = sets.filter((_, i) => i % Math.ceil(sets.length / CHECKED) === 0);
  const joined: string[] = [];
  exactJoin(few, THRESHOLDS[0]!, (a, b, resemblance) =>
    joined.push(`${Math.min(a, b)} ${Math.max(a, b)} ${resemblance}`),
  );
  const all: string[] = [];
  for (let a = 0; a < few.length; a++) {
    for (let b = a + 1; b < few.length; b++) {
      const [x, y] = [few[a]!.length / 2, few[b]!.length / 2];
      const resemblance = resemblanceOf(intersectionSize(few[a]!, 0, x, few[b]!, 0, y), x, y);
      if (resemblance >= THRESHOLDS[0]!) all.push(`${a} ${b} ${resemblance}`);
    }
  }
  if (joined.sort().join() !== all.sort().join())
    throw new Error(
      `the join has ${joined.length} pairs of ${few.length} pages, in truth there are ${all.length}`,
    );
}

/** True pairs by threshold. */
function truePairs(sets: readonly Uint32Array[]): number[] {
  const counts = THRESHOLDS.map(() => 0);
  exactJoin(sets, THRESHOLDS[0]!, (_a, _b, resemblance) => {
    THRESHOLDS.forEach((threshold, i) => {
      if (resemblance >= threshold) counts[i]!++;
    });
  });
  return counts;
}

interface RunPairs {
  readonly near: number;
  readonly limit: number;
  readonly capped: number;
  readonly promised: number;
  readonly cpu: number;
  readonly peak: number;
}

async function found(input: string, threshold: number, more: readonly string[]): Promise<RunPairs> {
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-page-recall-'));
  const out = join(scratch, 'out');
  try {
    const args = [input, '--threshold', String(threshold), '--threads', '2', ...more];
    const { cpu, peakBytes } = await runInto(out, args);
    const { counts, parameters } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as {
      counts: { hot_bucket: number; hot_buckets: number; verified_pairs: number };
      parameters: { banding: { bands: number; rows: number } };
    };
    const { bands, rows } = parameters.banding;
    return {
      near: counts.verified_pairs,
      limit: counts.hot_bucket,
      capped: counts.hot_buckets,
      promised: probabilityOfCandidate(threshold, bands, rows),
      cpu,
      peak: peakBytes,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One row per threshold; `rounds`: runs of each kind, of which the fastest counts. */
export async function pageRecall(
  title: string,
  pages: Iterable<TemplatePage>,
  rounds: number,
  shingles: Shingles = PAGE_SHINGLES,
): Promise<{ readonly rows: readonly Row[]; readonly raw: readonly unknown[]; readonly broken: number }> {
  const { lines, sets } = differentPages(pages, shingles);
  checkJoin(sets);
  const truth = truePairs(sets);
  console.error(`${title}: ${lines.length} pages, true pairs ${truth.join(', ')}`);
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-page-recall-'));
  const input = join(scratch, 'pages.jsonl');
  const shingle = ['--shingle', `${shingles.unit}:${shingles.size}`];
  const rows: Row[] = [];
  const raw: unknown[] = [];
  let broken = 0;
  try {
    writeFileSync(input, `${lines.join('\n')}\n`);
    for (const [i, threshold] of THRESHOLDS.entries()) {
      const [auto, capped]: [RunPairs[], RunPairs[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        auto.push(await found(input, threshold, shingle));
        capped.push(await found(input, threshold, [...shingle, '--hot-bucket', '256']));
      }
      const [one, other] = [auto[0]!, capped[0]!];
      const least = (some: readonly RunPairs[]): number => Math.min(...some.map(({ cpu }) => cpu));
      const share = one.near / truth[i]!;
      // Pairs above the threshold are found with a higher probability than the expected recall.
      if (one.near > truth[i]! || (one.capped === 0 && share < one.promised)) broken++;
      const row = [
        title,
        threshold.toFixed(1),
        truth[i]!,
        one.limit,
        one.capped,
        share.toFixed(4),
        one.promised.toFixed(4),
      ];
      row.push((other.near / truth[i]!).toFixed(4), least(auto).toFixed(1), least(capped).toFixed(1));
      row.push((least(auto) / least(capped)).toFixed(2), Math.round(one.peak / 1e6));
      console.error(row.join(' | '));
      rows.push(row);
      raw.push({ title, threshold, truth: truth[i], auto, capped });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return { rows, raw, broken };
}
