/** Which candidates a result lists: the same rows of one list, and the same of everything else. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RunOptions } from '../../src/index.js';
import { openResult, run } from '../../src/index.js';
import { leastAgreement } from '../../src/sketch/probability.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

/** Pages that share more or fewer of 200 words with a first one. */
function pages(): string {
  const lines: string[] = [];
  for (let page = 0; page < 40; page++) {
    const words = Array.from({ length: 200 }, (_, i) => (i < 6 * page ? `own${page}x${i}` : `word${i}`));
    lines.push(JSON.stringify({ id: `page ${page}`, text: words.join(' ') }));
  }
  return `${lines.join('\n')}\n`;
}

function rowsOf(text: string): string[] {
  return text.split('\n').slice(1, -1);
}

const BANDS: RunOptions = { hashes: 64, bands: 32, rows: 2 };

const FAMILIES: Readonly<Record<string, RunOptions>> = {
  exact: BANDS,
  signature: { ...BANDS, verify: 'signature' },
  none: { ...BANDS, verify: 'none' },
};

/** Which rows `margin` lists at 0.8: by their sets, by their sketches; where nothing is accepted by what a pair at 0.8 agrees in. */
function isListed(name: string, row: string): boolean {
  const [, , agreement, jaccard, accepted] = row.split('\t');
  if (name === 'none') return Math.round(64 * Number(agreement)) >= leastAgreement(0.8, 64);
  return accepted === 'yes' || Number(name === 'signature' ? agreement : jaccard) >= 0.75;
}

for (const [name, options] of Object.entries(FAMILIES)) {
  test(`${name}: margin, all and none list rows of one list, and count all`, async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'pages.jsonl');
    writeFileSync(file, pages());
    const fileOf = (listing: string, name: string): string =>
      readFileSync(join(folder, listing, name), 'utf8');
    for (const candidates of ['margin', 'all', 'none'] as const) {
      const out = join(folder, candidates);
      await run({ paths: [file], threshold: 0.8, threads: 0, out, candidates, ...options });
    }
    const all = rowsOf(fileOf('all', 'candidates/part-00000.tsv'));
    const margin = rowsOf(fileOf('margin', 'candidates/part-00000.tsv'));
    t.deepEqual(readdirSync(join(folder, 'none/candidates')), ['agreement.tsv']);
    t.deepEqual(
      margin,
      all.filter((row) => isListed(name, row)),
    );
    t.true(margin.length > 0 && margin.length < all.length);
    const counted = fileOf('all', 'candidates/agreement.tsv');
    const expected = new Map<string, number>();
    for (const row of all) {
      const cell = row.split('\t')[2]!;
      expected.set(cell, (expected.get(cell) ?? 0) + 1);
    }
    t.deepEqual(
      rowsOf(counted),
      [...expected].sort().map((entry) => entry.join('\t')),
    );
    for (const candidates of ['margin', 'none']) {
      for (const file of [
        'candidates/agreement.tsv',
        'pairs/part-00000.tsv',
        'duplicates.tsv',
        'clusters/part-00000.tsv',
      ])
        t.is(fileOf(candidates, file), fileOf('all', file));
      const { counts } = await openResult(join(folder, candidates));
      t.is(counts.candidate_pairs, all.length);
      t.is(counts.candidates_listed, candidates === 'none' ? 0 : margin.length);
    }
  });
}
