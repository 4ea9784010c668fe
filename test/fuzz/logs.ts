/** Fuzzing of logs of blocks: what is found in a damaged one is what was written. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BlockLog, LogReader } from '../../src/store/blockLog.js';
import { readPlace } from '../../src/store/blockPlace.js';
import { NODE_FILES } from '../../src/store/fileDoor.js';
import { KINDS, sample } from '../blocks/samples.js';
import type { FuzzTarget } from './main.js';
import type { Mutator } from './mutations.js';

const FINGERPRINT = 'of this run';
const BLOCKS = new Map<string, Buffer>(
  KINDS.map((kind, i) => [`${kind}/${i}`, Buffer.from(sample(kind, 5).buffer as ArrayBuffer)] as const),
);
const WORDS = [Buffer.from('MRLR'), Buffer.from('MRLG'), Buffer.alloc(64), Buffer.from([255, 255, 255, 255])];

/** The bytes of a log with a block of every kind. */
async function soundLog(folder: string): Promise<Buffer> {
  const path = join(folder, 'sound.log');
  const log = new BlockLog(path, FINGERPRINT, NODE_FILES);
  for (const [name, block] of BLOCKS) void log.append(name, { name }, block);
  await log.sync();
  await log.close();
  const bytes = readFileSync(path);
  rmSync(path);
  return bytes;
}

function damagedLog(from: Mutator, sound: Buffer, folder: string): void {
  const path = join(folder, 'damaged.log');
  writeFileSync(path, from.damaged([sound], WORDS));
  const reader = new LogReader(path);
  for (const { name, report, place } of reader.blocks(FINGERPRINT)) {
    const wanted = BLOCKS.get(name);
    if (wanted === undefined || !wanted.equals(new Uint8Array(readPlace(place)))) {
      throw new Error(`a damaged block was believed: ${name}`);
    }
    if (JSON.stringify(report) !== JSON.stringify({ name })) throw new Error(`another report: ${name}`);
  }
  if (reader.damage.length > 2 * BLOCKS.size + 20) throw new Error('damage is named again and again');
  rmSync(path);
}

export function logTargets(folder: string): FuzzTarget[] {
  let sound: Promise<Buffer> | null = null;
  return [
    {
      name: 'log of blocks',
      every: 4,
      run: async (from) => {
        sound ??= soundLog(folder);
        damagedLog(from, await sound, folder);
      },
    },
  ];
}
