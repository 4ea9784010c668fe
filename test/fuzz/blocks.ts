/** Fuzzing of the block decoder, of the folder that blocks are kept in, and of what reads finished results. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBlock, decodeBlock } from '../../src/blocks/block.js';
import { run } from '../../src/coordinator/run.js';
import { MinHashError } from '../../src/errors.js';
import { readConfigFile } from '../../src/options/configFile.js';
import { tableRows } from '../../src/result/readResult.js';
import { unescapeId } from '../../src/result/tables/escaping.js';
import { verifyResult } from '../../src/result/verifyResult.js';
import { KINDS, sample } from '../blocks/samples.js';
import type { FuzzTarget } from './main.js';
import type { Mutator } from './mutations.js';

const SAMPLES = KINDS.flatMap((kind) =>
  [0, 5].map((n) => Buffer.from(sample(kind, n).buffer as ArrayBuffer)),
);
const WORDS = [
  [0x93, 0xa1],
  [0xdf, 0xff, 0xff, 0xff, 0xff],
  [0xcf, 255, 255, 255, 255, 255, 255, 255, 255],
  [0xc1],
];
const HEADERS = WORDS.map((word) => Buffer.from(word));

/** Runs what may only throw an error of the table. */
function allowed(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof MinHashError) return false;
    throw error;
  }
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

/** A damaged block is never believed: with its checksum, only the sample itself is a block. */
function checkedBlock(from: Mutator): void {
  const bytes = from.damaged(SAMPLES, HEADERS);
  const taken = allowed(() => checkBlock(bufferOf(bytes), undefined, 'fuzz'));
  if (taken && !SAMPLES.some((one) => one.equals(bytes.subarray(0, one.length)))) {
    throw new Error(`a damaged block was believed: ${bytes.toString('hex')}`);
  }
}

/** Without its checksum anything may stand in a block: the decoder refuses it or gives views of it. */
function decodedBlock(from: Mutator): void {
  const bytes = from.damaged(SAMPLES, HEADERS);
  const buffer = bufferOf(bytes);
  allowed(() => {
    const { columns } = decodeBlock(buffer, undefined, 'fuzz');
    for (const column of Object.values(columns)) {
      if (column.buffer !== buffer || column.byteOffset + column.byteLength > buffer.byteLength) {
        throw new Error('a column outside its block');
      }
    }
  });
}

const PAGE = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');

/** A small result to damage, made once. */
async function resultIn(folder: string): Promise<string> {
  const inputs = join(folder, 'corpus.jsonl');
  const line = (id: string, text: string): string => JSON.stringify({ id, text });
  const lines = [line('a\tb', PAGE), line('b"\n', PAGE), line('c', `${PAGE} more`), '{"broken'];
  writeFileSync(inputs, lines.join('\n'));
  const out = join(folder, 'result');
  await run({ paths: [inputs], out, threads: 0, threshold: 0.6 });
  return out;
}

/** A result with one damaged file is read without a defect, and never valid if a file of the manifest changed. */
async function damagedResult(from: Mutator, original: string, folder: string): Promise<void> {
  const place = join(folder, 'damaged');
  cpSync(original, place, { recursive: true });
  const file = from.pick(['pairs/part-00000.tsv', 'clusters/part-00000.tsv', 'manifest.json', 'stats.json']);
  const before = readFileSync(join(place, file));
  const bytes = from.damaged([before], HEADERS);
  writeFileSync(join(place, file), bytes);
  try {
    for await (const { a, b } of tableRows(place, 'pairs'))
      if (a.length + b.length > 2e6) throw new Error('no such ids');
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
  }
  const found = await verifyResult(place);
  const vouched = file.includes('/');
  if (vouched && found.valid !== bytes.equals(before)) throw new Error(`${file}: valid is ${found.valid}`);
  rmSync(place, { recursive: true });
}

/** The targets, working in `folder`. */
export function blockTargets(folder: string): FuzzTarget[] {
  let result: Promise<string> | null = null;
  return [
    { name: 'checked block', run: checkedBlock },
    { name: 'decoded block', run: decodedBlock },
    {
      name: 'damaged result',
      every: 64,
      run: async (from) => {
        result ??= resultIn(folder);
        await damagedResult(from, await result, folder);
      },
    },
    {
      name: 'config file',
      every: 4,
      run: (from) => {
        const path = join(folder, 'config.json');
        writeFileSync(path, from.damaged([Buffer.from('{"threshold":0.5,"paths":["a"]}')], HEADERS));
        allowed(() => readConfigFile(path));
      },
    },
    {
      name: 'written id',
      run: (from) => {
        const written = from.damaged(
          [Buffer.from('a\\tb\\x1b\\\\x""')],
          [Buffer.from('\\x'), Buffer.from('\\')],
        );
        unescapeId(written.toString('utf8'));
      },
    },
  ];
}
