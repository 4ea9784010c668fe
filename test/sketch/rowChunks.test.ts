import test from 'ava';
import { binOf } from '../../src/arrays/hashing.js';
import { rowChunkOf } from '../../src/sketch/rowChunks.js';
import { randomHashes } from '../data/randomHashes.js';

const CHUNKS = 16;
const BINS = 128;

/** Chi-square of the joint counts of (chunk, bin) against the uniform ones. */
function chiSquare(hashes: Uint32Array, count: number): number {
  const counts = new Float64Array(CHUNKS * BINS);
  for (let i = 0; i < count; i++) {
    const chunk = rowChunkOf(hashes[2 * i]!, hashes[2 * i + 1]!, CHUNKS);
    counts[chunk * BINS + binOf(hashes[2 * i + 1]!, BINS)]!++;
  }
  const expected = count / counts.length;
  return counts.reduce((sum, found) => sum + (found - expected) ** 2 / expected, 0);
}

// 2048 cells: chi-square has mean 2047 and deviation sqrt(2 * 2047) = 64; 5 deviations are 320.
const MOST = 2047 + 320;

test('rowChunkOf: the chunk is independent of the slot that FSS chooses', (t) => {
  const found = chiSquare(randomHashes(200_000, 1), 200_000);
  t.true(found < MOST && found > 2047 - 320, `chi-square ${found}`);
});

test('rowChunkOf: hashes that differ in a few bits only are spread as well', (t) => {
  const count = 1 << 17;
  const inHigh = new Uint32Array(2 * count);
  // Equal low halves, high halves 0, 2^15, 2 * 2^15, ...: every bin is hit equally often.
  for (let i = 0; i < count; i++) inHigh[2 * i + 1] = i * 32768;
  t.true(chiSquare(inHigh, count) < MOST);
});

test('rowChunkOf: one chunk takes all, and every chunk is below rowChunks', (t) => {
  const hashes = randomHashes(2000, 2);
  const seen = new Set<number>();
  for (let i = 0; i < 2000; i++) {
    t.is(rowChunkOf(hashes[2 * i]!, hashes[2 * i + 1]!, 1), 0);
    seen.add(rowChunkOf(hashes[2 * i]!, hashes[2 * i + 1]!, 7));
  }
  t.deepEqual([...seen].sort(), [0, 1, 2, 3, 4, 5, 6]);
});
