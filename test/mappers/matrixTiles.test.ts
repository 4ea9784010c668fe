/** matrixTiles: documents -> one tile of the characteristic matrix per row chunk. */
import test from 'ava';
import { matrixTiles } from '../../mappers/matrixTiles.js';
import { createReferenceKernel } from '../../src/kernel/reference.js';
import type { ShingleParams } from '../../src/sketch/params.js';
import { shingleSet } from '../../src/sketch/shingles.js';
import { sortUniqueHashes } from '../../src/sketch/sortHashes.js';
import { feedOf, SOME_DOCUMENTS } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };
const READ = SOME_DOCUMENTS.filter((document): document is string => typeof document === 'string');

function tilesFor(rowChunks: number) {
  return matrixTiles(feedOf(SOME_DOCUMENTS), createReferenceKernel(), SHINGLE, rowChunks);
}

test('the tiles of a column together hold the rows of its document, for any number of row chunks', (t) => {
  for (const rowChunks of [1, 2, 7, 64]) {
    const { tiles } = tilesFor(rowChunks);
    t.is(tiles.length, rowChunks);
    READ.forEach((text, column) => {
      const rows: number[] = [];
      for (const tile of tiles) {
        const ends = tile.columns.ends as Uint32Array;
        const from = column === 0 ? 0 : ends[column - 1]!;
        rows.push(...(tile.columns.rows as Uint32Array).subarray(2 * from, 2 * ends[column]!));
      }
      const gathered = Uint32Array.from(rows);
      const distinct = sortUniqueHashes(gathered, gathered.length / 2);
      t.deepEqual(gathered.subarray(0, 2 * distinct), shingleSet(new TextEncoder().encode(text), SHINGLE));
    });
  }
});

test('a row is in the same chunk whatever document it comes from', (t) => {
  const kernel = createReferenceKernel();
  for (const tile of tilesFor(16).tiles) {
    const rows = tile.columns.rows as Uint32Array;
    for (let i = 0; i < rows.length; i += 2) {
      t.is(kernel.rowChunkOf(rows[i]!, rows[i + 1]!, 16), tile.meta.rowChunk as number);
    }
  }
});

test('totals count the occurrences of a column over all chunks, and are in every tile', (t) => {
  const { tiles } = tilesFor(4);
  const totals = tiles[0]!.columns.totals as Uint32Array;
  t.deepEqual(Array.from(totals), [298, 0, 1, 38, 5998, 0, 298]);
  for (const tile of tiles) t.deepEqual(tile.columns.totals, totals);
});

test('a document that is skipped halfway leaves nothing in any tile, and stands in the table as skipped', (t) => {
  const result = tilesFor(3);
  const { columns } = result.documents(0);
  t.is(columns.flags!.length, READ.length);
  t.deepEqual(Array.from(columns.record!), [0, 1, 2, 4, 5, 6, 7]);
  t.deepEqual(Array.from(columns.skipRecord!), [3]);
});

test('no documents make tiles without columns', (t) => {
  const { tiles } = matrixTiles(feedOf([]), createReferenceKernel(), SHINGLE, 2);
  for (const tile of tiles) t.is(tile.columns.ends!.length, 0);
});
