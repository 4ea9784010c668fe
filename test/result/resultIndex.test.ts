/** The index of a result has the rows of its tables. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readManifest } from '../../src/result/readManifest.js';
import { measured, tableRows } from '../../src/result/readResult.js';
import {
  clusterOf,
  idIn,
  indexColumns,
  indexOf,
  locationIn,
  NONE,
  pairOf,
  pairRow,
} from '../../src/result/resultIndex.js';
import { RECORDS, resultIn, VIEWED } from '../view/viewedResult.js';

// Ids repeat, so that documents are identified by their locations.
const REPEATED = join(VIEWED, 'repeated.jsonl');
writeFileSync(
  REPEATED,
  RECORDS.map(({ id, text }) => `${JSON.stringify({ id: id.slice(0, 8), text })}\n`).join(''),
);

for (const [name, options] of [
  ['unique ids', {}],
  ['repeated ids', { paths: [REPEATED] }],
  ['greedy clusters', { cluster: 'greedy' }],
] as const)
  test(`an index has the rows of the tables: ${name}`, async (t) => {
    const folder = await resultIn(name.replace(' ', '-'), options);
    const manifest = readManifest(folder);
    const shares: number[] = [];
    const index = indexOf(manifest, await indexColumns(folder, manifest, (share) => shares.push(share)));
    t.is(shares.at(-1), 1);
    let document = 0;
    for await (const row of tableRows(folder, 'clusters')) {
      t.is(index.find(row.place), document);
      t.is(idIn(index, document), row.document);
      t.is(clusterOf(index, document), row.cluster);
      t.is(index.similarity[document]!.toFixed(6), row.similarity!.toFixed(6));
      document++;
    }
    t.is(document, index.clustered);
    let pairs = 0;
    for await (const row of tableRows(folder, 'pairs')) {
      const pair = pairOf(index, index.find(row.aLocation), index.find(row.bLocation));
      t.is(index.pairs.value[pair]!.toFixed(6), measured(row, 'resemblance').toFixed(6));
      const { a, b, agreement, kind } = pairRow(index, pair);
      t.deepEqual([a, b].sort(), [row.a, row.b].sort());
      t.is(agreement!.toFixed(6), row.agreement!.toFixed(6));
      t.is(kind, row.kind);
      pairs++;
    }
    t.is(pairs, index.pairs.count);
    const drops = new Map<string, string>();
    for await (const row of tableRows(folder, 'duplicates')) drops.set(row.place, row.keptPlace);
    for (let d = 0; d < index.clustered; d++) {
      const kept = index.keeper[d]!;
      t.is(kept === NONE ? undefined : locationIn(index, kept), drops.get(locationIn(index, d)));
    }
    const order = [...index.byValue].map((pair) => index.pairs.value[pair]!);
    t.deepEqual(
      order,
      [...order].sort((x, y) => y - x),
    );
  });
