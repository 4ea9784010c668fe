/** The columns of a result, and what it would be at another threshold: as runs at that threshold say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Manifest } from '../../src/output/manifest.js';
import { readManifest } from '../../src/output/readManifest.js';
import { tableIn } from '../../src/output/readResult.js';
import {
  clusterCount,
  clusterOf,
  idIn,
  indexColumns,
  indexResult,
  NONE,
  pairOf,
} from '../../src/output/resultIndex.js';
import { type Recount, recounts } from '../../src/view/recount.js';
import { resultIn } from './viewedResult.js';

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test.serial(
  'the index has every row of clusters, pairs and drops, and finds each again in its file',
  async (t) => {
    const out = await resultIn('indexed');
    const index = await indexResult(out, readManifest(out));
    const rows = await all(tableIn(out, 'clusters').rows());
    t.is(index.clustered, rows.length);
    t.is(clusterCount(index), rows.at(-1)!.cluster);
    for (const [i, row] of rows.entries()) {
      t.is(idIn(index, i), row.document);
      t.is(index.find(row.document), i);
      t.is(clusterOf(index, i), row.cluster);
    }
    t.deepEqual(await index.clusterRows(3, 4), rows.slice(3, 7));
    t.deepEqual(await index.clusterRows(rows.length - 1, 9), rows.slice(-1));
    const drops = new Map(
      (await all(tableIn(out, 'duplicates').rows())).map(({ document, kept }) => [document, kept]),
    );
    for (let d = 0; d < index.documents; d++) {
      const kept = index.keeper.at(d)!;
      t.is(drops.get(idIn(index, d)), kept === NONE ? undefined : idIn(index, kept));
    }
    const pairs = await all(tableIn(out, 'pairs').rows());
    t.is(index.pairs.count, pairs.length);
    for (const row of pairs) {
      const found = pairOf(index, index.find(row.b), index.find(row.a));
      t.deepEqual(await index.pairRow(found), row);
    }
    t.is(pairOf(index, 0, index.clustered - 1), -1);
  },
);

/** Counts of a result at thresholds. */
async function countsOf(out: string): Promise<(threshold: number) => Recount> {
  const manifest: Manifest = readManifest(out);
  const made = await indexColumns(out, manifest, () => undefined);
  const steps = recounts(made, manifest);
  return (threshold) => steps.find((step) => step.threshold === threshold)!;
}

test.serial('counts at a threshold are those of a run with it, wherever the pairs say so', async (t) => {
  const out = await resultIn('low');
  const counts = await countsOf(out);
  for (const threshold of [0.55, 0.62, 0.7, 0.83, 0.9, 1]) {
    const higher = readManifest(await resultIn(`at-${threshold}`, { threshold })).counts;
    const { verified_pairs: near, identical_pairs: same, same_tokens_pairs: tokens } = higher;
    t.deepEqual(
      counts(threshold),
      { threshold, pairs: near + same + tokens, clusters: higher.clusters, dropped: higher.dropped },
      `${threshold}`,
    );
  }
});

test.serial(
  'in another order of survivors drops are known at the thresholds of the manifest alone',
  async (t) => {
    const out = await resultIn('longest', { keep: 'longest' });
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    const counts = await countsOf(out);
    const told = manifest.numbers.thresholds.find((step: { threshold: number }) => step.threshold === 0.7);
    t.is(counts(0.7).dropped, told.dropped);
    t.is(counts(0.72).dropped, null);
    t.true(counts(0.72).clusters! > 0);
  },
);
