/** Signatures in files: rows and keys of memory, and a file that is too short is named. */
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { encodeBlock } from '../../src/blocks/block.js';
import { makeWorkFolder, workFile, writeWorkFile } from '../../src/store/workFiles.js';
import { signaturesInFiles, signaturesInMemory } from '../../src/tasks/signatureSource.js';
import { randomWords } from '../data/randomHashes.js';

const HASHES = 30;
const [STRIDE, BANDS] = [32, 3];

test('signatures in files and in memory have the same keys and rows, across batches and gaps', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'signatures-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  makeWorkFolder(folder);
  const random = randomWords(1);
  const rows = [700, 1, 0, 300];
  const blocks = rows.map((count) =>
    encodeBlock(
      'signatures',
      {},
      {
        slots: Uint16Array.from({ length: STRIDE * count }, random),
        keys: Uint32Array.from({ length: BANDS * count }, random),
      },
    ),
  );
  blocks.forEach((block, k) => {
    writeWorkFile(folder, `signatures/${k}`, block);
  });
  const files = rows.map((count, k) => ({ path: workFile(folder, `signatures/${k}`), rows: count }));
  const sources = [signaturesInMemory(blocks, HASHES), signaturesInFiles(files, HASHES)];
  const wanted = [0, 1, 5, 400, 699, 700, 701, 1000];
  const [memory, inFiles] = sources.map((source) => {
    const into = new Uint32Array(2000 + wanted.length * (STRIDE / 2));
    source.keys(2, 600, 401, into, 7);
    const order = Uint32Array.from(wanted.flatMap((row, i) => [wanted.length - 1 - i, row]));
    source.gather(order, into, 2000);
    source.close();
    return { into, starts: source.starts };
  });
  t.deepEqual(inFiles, memory);
  t.deepEqual([...memory!.starts], [0, 700, 701, 701, 1001]);
  t.deepEqual(memory!.into.slice(7, 107), blocks[0]!.columns.keys!.slice(2 * 700 + 600) as Uint32Array);
  truncateSync(files[0]!.path, 5000);
  const short = signaturesInFiles(files, HASHES);
  t.throws(() => short.gather(Uint32Array.of(0, 699), new Uint32Array(100), 0), {
    message: /signatures-0: ends/,
  });
  short.close();
});
