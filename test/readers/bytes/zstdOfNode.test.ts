/** Node's zstd and ours give the same: what an input gives, cut and damaged, is one digest for all versions of Node. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Pieces } from '../../../src/readers/bytes/byteStreams.js';
import { headOfPacked, packingNamed } from '../../../src/readers/bytes/packings.js';

/** `zstd -19` of 150 KB: two blocks, of which the first has 5 KB. Smaller ones are never unpacked by Node. */
const PACKED = readFileSync(
  fileURLToPath(new URL('../../../../test/data/blocks.jsonl.zst', import.meta.url)),
);
const SIZE = 150_392;
const zstd = packingNamed('zstd');

async function* cutInto(bytes: Uint8Array, size: number): Pieces {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What data give in each of the ways in which they are read. */
async function answersOf(bytes: Uint8Array): Promise<(Uint8Array | string)[]> {
  const answers = [zstd.whole(bytes, 1e6), headOfPacked('zstd', bytes)];
  for await (const piece of zstd.piped(cutInto(bytes, 3000), 1e6)) answers.push(piece);
  return answers;
}

test('two frames with something to be skipped between them come whole', async (t) => {
  const skippable = Uint8Array.of(0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7);
  const twice = Buffer.concat([PACKED, skippable, PACKED]);
  const [whole, head, ...pieces] = (await answersOf(twice)) as Uint8Array[];
  const once = whole!.subarray(0, SIZE);
  t.is(createHash('md5').update(once).digest('hex'), 'a6869d1524ff6428dc04dd9142bfc9df');
  for (const all of [whole!, head!, Buffer.concat(pieces)]) t.true(Buffer.concat([once, once]).equals(all));
  t.is(zstd.whole(twice, 2 * SIZE - 1), 'TOO_LARGE');
});

test('cut and damaged data give the same bytes and codes on every Node', async (t) => {
  const digest = createHash('md5');
  const codes = new Map<string, number>();
  for (let at = 1; at < PACKED.length; at += 31) {
    const damaged = Uint8Array.from(PACKED);
    damaged[at]! ^= 1 << (at % 8);
    // Without the checksum, what is wrong must be seen by other means.
    const unchecked = Uint8Array.from(damaged);
    unchecked[4]! &= ~4;
    for (const bytes of [PACKED.subarray(0, at), damaged, unchecked.subarray(0, -4)]) {
      for (const answer of await answersOf(bytes)) {
        digest.update(answer);
        if (typeof answer === 'string') codes.set(answer, (codes.get(answer) ?? 0) + 1);
      }
    }
  }
  t.deepEqual([...codes.keys()].sort(), ['ZSTD_DAMAGED', 'ZSTD_TRUNCATED']);
  t.is(digest.digest('hex'), 'd5052864e978a2346b4a4d86dd5ab1a9');
});
