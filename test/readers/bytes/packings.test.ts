/** Unpacking of what gzip, zstd, bzip2 and xz made: whole and piece by piece, cut and damaged at every offset. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Pieces } from '../../../src/readers/bytes/byteStreams.js';
import { headOfPacked, packingNamed, packingOf } from '../../../src/readers/bytes/packings.js';
import { withoutPacking } from '../../../src/readers/list/formats.js';
import { finished, pairNames } from '../../coordinator/runs/finished.js';
import { EVERY_BYTE } from '../../data/everyByte.js';

/**
 * Each unpacks to plain.jsonl. frames.zst: levels 19 and 1 with skippable frames around; long.zst: --long=27 --no-check;
 * streams.bz2: two and an empty one; blocks.xz: three with SHA-256; streams.xz: two with padding; delta.xz: with a filter.
 */
const FOLDER = fileURLToPath(new URL('../../../../test/data/packed/', import.meta.url));
const PLAIN = readFileSync(join(FOLDER, 'plain.jsonl'));
const SAMPLES = readdirSync(FOLDER)
  .filter((name) => name !== 'plain.jsonl' && name !== 'delta.xz')
  .map((name) => ({ name, bytes: readFileSync(join(FOLDER, name)), packing: withoutPacking(name).packing! }));

/** Where a file may be cut and is a whole one, of less: behind members, and behind four zeros after a stream of xz. */
const WHOLE_CUTS: Readonly<Record<string, readonly number[]>> = {
  'frames.zst': [13, 337, 350, 882],
  'streams.bz2': [365, 732],
  'streams.xz': [372, 376, 380, 780],
};
/** Nothing in them says whether they are damaged. */
const UNCHECKED = ['long.zst', 'none.xz'];

async function* cutInto(bytes: Uint8Array, size: number): Pieces {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What a stream gave, and the code at its end. */
async function piped(name: string, pieces: Pieces): Promise<{ bytes: Buffer; code: string | null }> {
  const { packing } = withoutPacking(name);
  const given: Uint8Array[] = [];
  for await (const piece of packingNamed(packing!).piped(pieces, 1e9)) {
    if (typeof piece === 'string') return { bytes: Buffer.concat(given), code: piece };
    given.push(piece);
  }
  return { bytes: Buffer.concat(given), code: null };
}

test('what the usual programs packed is unpacked whole, by its first bytes, and however it comes', async (t) => {
  t.is(SAMPLES.length, 10);
  for (const { name, bytes, packing } of SAMPLES) {
    t.true(PLAIN.equals(packingNamed(packing).whole(bytes, PLAIN.length) as Uint8Array), name);
    t.is(packingNamed(packing).whole(bytes, PLAIN.length - 1), 'TOO_LARGE', name);
    t.is(packingOf(bytes), packing, name);
    t.deepEqual(Buffer.from(headOfPacked(packing, bytes)), PLAIN, name);
    for (const size of [1, 7, 64, 4096])
      t.deepEqual(
        await piped(name, cutInto(bytes, size)),
        { bytes: PLAIN, code: null },
        `${name} by ${size}`,
      );
  }
});

test('data that were cut anywhere end too early, and give what was there', async (t) => {
  const cuts: Record<string, number[]> = {};
  for (const { name, bytes, packing } of SAMPLES) {
    for (let end = 0; end < bytes.length; end++) {
      const found = packingNamed(packing).whole(bytes.subarray(0, end), 1e6);
      if (typeof found !== 'string') {
        cuts[name] = [...(cuts[name] ?? []), end];
        t.true(PLAIN.subarray(0, found.length).equals(found), `${name} ${end}`);
      } else t.is<string, string>(found, `${packing.toUpperCase()}_TRUNCATED`, `${name} ${end}`);
    }
  }
  t.deepEqual(cuts, WHOLE_CUTS);
  const { bytes } = SAMPLES.find(({ name }) => name === 'streams.bz2')!;
  // The first block is whole.
  t.deepEqual(await piped('streams.bz2', cutInto(bytes.subarray(0, -60), 50)), {
    bytes: PLAIN.subarray(0, 1200),
    code: 'BZIP2_TRUNCATED',
  });
});

test('a byte that is damaged anywhere is found out, where the data have a checksum', (t) => {
  for (const { name, bytes, packing } of SAMPLES) {
    // Steps of an odd number: every bit of a byte is damaged somewhere, and every part of a file.
    for (let at = 0; at < bytes.length; at += EVERY_BYTE ? 1 : 3) {
      const damaged = Uint8Array.from(bytes);
      damaged[at]! ^= 1 << (at % 8);
      const found = packingNamed(packing).whole(damaged, 1e6);
      if (typeof found !== 'string' && !UNCHECKED.includes(name))
        t.true(PLAIN.equals(found), `${name} ${at}`);
    }
  }
});

test('gzip from a pipe gives what stands before damage, and says what is wrong', async (t) => {
  const { bytes } = SAMPLES.find(({ name }) => name === 'one.gz')!;
  const codes = new Set<string | null>();
  for (let at = 0; at < bytes.length; at += 9) {
    const damaged = Uint8Array.from(bytes);
    damaged[at]! ^= 0x10;
    const found = await piped('one.gz', cutInto(damaged, 100));
    codes.add(found.code);
    if (found.code === null) t.deepEqual(found.bytes, PLAIN);
    const cut = await piped('one.gz', cutInto(bytes.subarray(0, at), 100));
    t.is(cut.code, 'GZIP_TRUNCATED');
    t.true(PLAIN.subarray(0, cut.bytes.length).equals(cut.bytes));
  }
  t.true(codes.has('GZIP_DAMAGED'));
  const late = Buffer.concat([bytes, Buffer.alloc(10), Buffer.from('x')]);
  t.deepEqual(await piped('one.gz', cutInto(late, 64)), { bytes: PLAIN, code: 'GZIP_DAMAGED' });
  t.deepEqual(await piped('one.gz', cutInto(late.subarray(0, -1), 64)), { bytes: PLAIN, code: null });
});

test('what is not read is named: filters, dictionaries, large windows; and so is what is no end', (t) => {
  const whole = (name: string, bytes: Uint8Array): unknown =>
    packingNamed(withoutPacking(name).packing!).whole(bytes, 1e6);
  t.is(whole('delta.xz', readFileSync(join(FOLDER, 'delta.xz'))), 'PACKED_FOREIGN');
  const magic = [0x28, 0xb5, 0x2f, 0xfd];
  const noBlock = [1, 0, 0];
  t.is(whole('a.zst', Uint8Array.of(...magic, 0x21, 7, 0, ...noBlock)), 'PACKED_FOREIGN');
  t.is(whole('a.zst', Uint8Array.of(...magic, 0x00, 0xa8, ...noBlock)), 'PACKED_FOREIGN');
  t.is((whole('a.zst', Uint8Array.of(...magic, 0x00, 0x98, ...noBlock)) as Uint8Array).length, 0);
  for (const { name, bytes, packing } of SAMPLES) {
    const code = whole(name, Buffer.concat([bytes, Buffer.from('rubbish')]));
    t.is(code, `${packing.toUpperCase()}_DAMAGED`, name);
  }
});

test('data that unpack to far more than they are are bombs; runs and repetitions are written out', async (t) => {
  // A block of a run of 128 KB, again and again.
  const run = Uint8Array.of(0x02, 0x00, 0x10, 0x61);
  const blocks = Buffer.concat(Array.from({ length: 600 }, () => run));
  const bomb = Buffer.concat([Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58), blocks]);
  t.is(packingNamed('zstd').whole(bomb, 1e9), 'ZSTD_BOMB');
  let given = 0;
  for await (const piece of packingNamed('zstd').piped(cutInto(bomb, 100), 1e7)) {
    if (typeof piece === 'string') t.is(piece, 'ZSTD_BOMB');
    else given += piece.length;
  }
  t.true(given > 9e6 && given < 1.1e7);
});

test('a run has the same result however its lines are packed, called and given', async (t) => {
  const plain = await finished(t, { 'a.jsonl': PLAIN }, { threshold: 0.3 });
  t.true(plain.pairs.length > 2);
  for (const name of ['frames.zst', 'streams.bz2', 'blocks.xz', 'one.gz']) {
    const bytes = readFileSync(join(FOLDER, name));
    const isTold = name === 'streams.bz2' || name === 'one.gz';
    const called = isTold ? 'a' : `a.jsonl${name.slice(name.indexOf('.'))}`;
    const named = await finished(t, { [called]: bytes }, { threshold: 0.3 });
    const stdin = Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]);
    const given = await finished(t, {}, { paths: ['-'], threshold: 0.3 }, { stdin });
    for (const { pairs } of [named, given]) t.deepEqual(pairNames(pairs), pairNames(plain.pairs), name);
  }
});
