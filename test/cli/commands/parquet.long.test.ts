/** Records as Parquet give what the same records give as JSON lines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere } from '../programHere.js';

/** Records of which every fourth is another with one word changed. */
function records(): { id: string; text: string }[] {
  const texts: string[] = [];
  for (let i = 0; i < 300; i++) {
    const words = i % 4 === 3 ? texts[i - 3]!.split(' ') : [];
    for (let w = words.length; w < 60; w++) words.push(`w${Math.imul(i * 64 + w, 2_654_435_761) >>> 21}`);
    if (i % 4 === 3) words[i % 60] = `changed${i}`;
    texts.push(words.join(' '));
  }
  return texts.map((text, i) => ({ id: `r${i}`, text }));
}

const rows = records();
const parquet = (codec: 'SNAPPY' | 'GZIP'): Uint8Array => {
  const columnData = [
    { name: 'id', data: rows.map(({ id }) => id) },
    { name: 'text', data: rows.map(({ text }) => text) },
  ];
  return Buffer.from(
    parquetWriteBuffer({ columnData, codec, compressors: { GZIP: gzipSync }, rowGroupSize: 70 }),
  );
};

test.serial(
  '300 records give the same tables as Parquet and as JSON lines, with 0 and 2 threads',
  async (t) => {
    const folder = temporaryFolder(t, {
      'a.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      's.parquet': parquet('SNAPPY'),
      // Told by its first bytes.
      g: parquet('GZIP'),
    });
    const run = async (input: string, out: string, ...flags: readonly string[]): Promise<void> => {
      const said = await programHere(folder, ['run', input, '--out', out, '--quiet', ...flags]);
      t.is(said.code, 0, said.stderr);
    };
    /** Without the columns of places, which name the file. */
    const table = (out: string, name: string): string[][] =>
      readFileSync(join(folder, out, `${name}.tsv`), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').map((cell) => (/#/.test(cell) ? '' : cell)));
    await run('a.jsonl', 'lines', '--threads', '0');
    await run('s.parquet', 'snappy', '--threads', '0');
    await run('g', 'gzip', '--threads', '2');
    const names = ['pairs/part-00000', 'clusters/part-00000', 'duplicates', 'candidates/part-00000'];
    for (const name of names) {
      for (const out of ['snappy', 'gzip']) t.deepEqual(table(out, name), table('lines', name), name);
    }
    t.true(table('lines', 'pairs/part-00000').length > 70);
  },
);
