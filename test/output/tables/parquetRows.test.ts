/** Result tables as Parquet: typed columns, and the same cells again when they are read. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parquetReadObjects } from 'hyparquet';
import { partName } from '../../../src/output/fileNames.js';
import { idTableOf } from '../../../src/output/tables/escaping.js';
import { parquetCells, parquetRowCount } from '../../../src/output/tables/parquetCells.js';
import {
  CANDIDATE_COLUMNS,
  writeCandidatesPart,
  writeEliminated,
} from '../../../src/output/tables/tables.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const IDS = idTableOf(['a,b', 'c\td', 'e\xff']);
const NO_DAMAGE = (what: string): Error => new Error(what);

test('candidates are strings, numbers and booleans; missing values are null', async (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'candidates'));
  const place = { root, file: partName('candidates', 0, 'parquet'), format: 'parquet' as const };
  const columns = {
    a: Uint32Array.of(0, 0, 1),
    b: Uint32Array.of(1, 2, 2),
    agreement: Uint16Array.of(128, 1, 64),
    jaccard: Float64Array.of(1 / 3, Number.NaN, 1),
    accepted: Uint8Array.of(0, 0, 1),
  };
  const written = writeCandidatesPart(place, IDS, columns, 128, 0, 3);
  t.is(written.rows, 3);
  const bytes = readFileSync(join(root, place.file));
  t.is(bytes.length, written.bytes);
  const file = new Uint8Array(bytes).buffer;
  t.deepEqual(await parquetReadObjects({ file }), [
    { a: 'a,b', b: 'c\td', agreement: 1, jaccard: 0.333333, accepted: false },
    { a: 'a,b', b: 'e\ufffd', agreement: 0.007813, jaccard: null, accepted: false },
    { a: 'c\td', b: 'e\ufffd', agreement: 0.5, jaccard: 1, accepted: true },
  ]);
  const cells = [...parquetCells(root, place.file, CANDIDATE_COLUMNS, ['place'], NO_DAMAGE)].flat();
  t.deepEqual(cells[1], ['a,b', 'e\xef\xbf\xbd', '0.007813', '', 'false', '']);
  t.throws(() => [...parquetCells(root, place.file, ['b', 'c'], [], NO_DAMAGE)], { message: /column c$/ });
});

test('rows go to the file by row groups, and a table without rows has its columns', (t) => {
  const root = temporaryFolder(t);
  for (const count of [0, 70_000]) {
    const hashes = Uint32Array.from({ length: 2 * count }, (_, i) => i);
    const documents = Uint32Array.from({ length: count }, (_, i) => 1 + (i % 3));
    const texts = idTableOf(Array.from({ length: count }, (_, i) => `w${i % 1000}`));
    const place = { root, file: `eliminated${count}.parquet`, format: 'parquet' as const };
    t.is(writeEliminated(place, { hashes, documents, texts }).rows, count);
    t.is(parquetRowCount(join(root, place.file)), count);
    const cells = [...parquetCells(root, place.file, ['documents', 'text'], [], NO_DAMAGE)].flat();
    t.is(cells.length, count);
    if (count > 0)
      t.deepEqual(
        [cells[0], cells.at(-1)],
        [
          ['3', 'w2'],
          ['1', 'w999'],
        ],
      );
  }
});
