/** Unpacking of what gzip, zstd, bzip2 and xz made: whole and piece by piece, cut and damaged at every offset. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { begun, type Pieces } from '../../../src/readers/bytes/byteStreams.js';
import { codecNamed, codecOf, decompressedHead, type Unpacked } from '../../../src/readers/bytes/codecs.js';
import { withoutCodec } from '../../../src/readers/list/formats.js';
import { finished, pairNames } from '../../coordinator/runs/finished.js';
import { EVERY_BYTE } from '../../data/everyByte.js';

/**
 * Each decompresses to plain.jsonl. frames.zst: levels 19 and 1 with skippable frames around; long.zst: --long=27 --no-check;
 * streams.bz2: two and an empty one; blocks.xz: three with SHA-256; streams.xz: two with padding; delta.xz: with a filter.
 */
const FOLDER = fileURLToPath(new URL('../../../../test/data/packed/', import.meta.url));
const PLAIN = readFileSync(join(FOLDER, 'plain.jsonl'));
const ALL = readdirSync(FOLDER)
  .filter((name) => name !== 'plain.jsonl')
  .map((name) => ({ name, bytes: readFileSync(join(FOLDER, name)), codec: withoutCodec(name).codec! }));
/** Those that can be decompressed here; of the others a test says what is missing. */
const SAMPLES = ALL.filter(({ codec }) => codecNamed(codec).missing() === null);
const MISSING = ['zstd', 'bzip2', 'xz'].flatMap((name) => codecNamed(name as 'zstd').missing() ?? []);
for (const why of MISSING) test.skip(`a codec is not tested: ${why}`, () => {});
const whereAll = MISSING.length === 0 ? test : test.skip;

/** Nothing in them says whether they are damaged. */
const UNCHECKED = ['long.zst', 'none.xz'];

async function* cutInto(bytes: Uint8Array, size: number): Pieces {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What a stream gave, and the code at its end. */
async function piped(name: string, pieces: Pieces): Promise<{ bytes: Buffer; code: string | null }> {
  const { codec } = withoutCodec(name);
  const given: Uint8Array[] = [];
  for await (const piece of codecNamed(codec!).stream(pieces)) {
    if (typeof piece === 'string') return { bytes: Buffer.concat(given), code: piece };
    given.push(piece);
  }
  return { bytes: Buffer.concat(given), code: null };
}

test('what the usual programs compressed is decompressed whole, by its first bytes, and however it comes', async (t) => {
  t.is(ALL.length, 11);
  for (const { name, bytes, codec } of SAMPLES) {
    t.true(PLAIN.equals(codecNamed(codec).whole(bytes, PLAIN.length).bytes), name);
    t.is(codecNamed(codec).whole(bytes, PLAIN.length - 1).code, 'TOO_LARGE', name);
    t.is(codecOf(bytes), codec, name);
    t.deepEqual(Buffer.from(decompressedHead(codec, bytes)), PLAIN, name);
    for (const size of [64, 4096])
      t.deepEqual(
        await piped(name, cutInto(bytes, size)),
        { bytes: PLAIN, code: null },
        `${name} by ${size}`,
      );
  }
});

whereAll('data that were cut end too early, and give what was there', async (t) => {
  for (const { name, bytes, codec } of SAMPLES) {
    const code = `${codec.toUpperCase()}_TRUNCATED`;
    // Behind the magic number, in a header, in the data, in a checksum; a cut between members is an end.
    for (const end of [0, 3, 8, bytes.length >> 1, bytes.length - 30, bytes.length - 5]) {
      const cut = bytes.subarray(0, end);
      const whole = codecNamed(codec).whole(cut, 1e6);
      t.is<string | null, string>(whole.code, code, `${name} ${end}`);
      const given = await piped(name, cutInto(cut, 100));
      t.is(given.code, code, `${name} ${end}`);
      t.true(PLAIN.subarray(0, given.bytes.length).equals(given.bytes), `${name} ${end}`);
      t.true(given.bytes.equals(whole.bytes), `${name} ${end}`);
    }
  }
  const { bytes } = SAMPLES.find(({ name }) => name === 'streams.bz2')!;
  // The first block is whole.
  t.deepEqual(await piped('streams.bz2', cutInto(bytes.subarray(0, -60), 50)), {
    bytes: PLAIN.subarray(0, 1200),
    code: 'BZIP2_TRUNCATED',
  });
});

test('a byte that is damaged is found out, where the data have a checksum', (t) => {
  for (const { name, bytes, codec } of SAMPLES) {
    if (UNCHECKED.includes(name)) continue;
    // Every bit of a byte is damaged somewhere.
    for (let i = 0; i < (EVERY_BYTE ? bytes.length : 8); i++) {
      const damaged = Uint8Array.from(bytes);
      damaged[EVERY_BYTE ? i : Math.floor(((i + 0.5) * bytes.length) / 8)]! ^= 1 << (i % 8);
      const found = codecNamed(codec).whole(damaged, 1e6);
      if (found.code === null) t.true(PLAIN.equals(found.bytes), `${name} ${i}`);
    }
  }
  t.pass();
});

whereAll(
  'frames of zstd with something to be skipped between them, and blocks that come in pieces, are whole',
  async (t) => {
    const blocks = readFileSync(
      fileURLToPath(new URL('../../../../test/data/blocks.jsonl.zst', import.meta.url)),
    );
    const skippable = Uint8Array.of(0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7);
    const once = codecNamed('zstd').whole(blocks, 1e6).bytes;
    t.is(once.length, 150_392);
    for (const size of [1000, 1e6]) {
      const { bytes, code } = await piped('a.zst', cutInto(Buffer.concat([blocks, skippable, blocks]), size));
      t.is(code, null);
      t.true(Buffer.concat([once, once]).equals(bytes));
    }
    t.is(
      (await piped('a.zst', cutInto(Buffer.concat([blocks, skippable.subarray(0, -1)]), 500))).code,
      'ZSTD_TRUNCATED',
    );
  },
);

test('gzip gives all bytes before damage, and says what is wrong', async (t) => {
  const { bytes } = SAMPLES.find(({ name }) => name === 'one.gz')!;
  const codes = new Set<string | null>();
  for (let at = 0; at < bytes.length; at += 60) {
    const damaged = Uint8Array.from(bytes);
    damaged[at]! ^= 0x10;
    const found = await piped('one.gz', cutInto(damaged, 100));
    codes.add(found.code);
    t.true(PLAIN.subarray(0, found.bytes.length).equals(found.bytes) || found.code === 'GZIP_DAMAGED');
    if (found.code === null) t.deepEqual(found.bytes, PLAIN);
    const cut = await piped('one.gz', cutInto(bytes.subarray(0, at), 100));
    t.is(cut.code, 'GZIP_TRUNCATED');
    t.true(PLAIN.subarray(0, cut.bytes.length).equals(cut.bytes));
  }
  t.true(codes.has('GZIP_DAMAGED'));
  // Other bytes behind the last member, a second member that is damaged, a wrong checksum, all in the first piece.
  const small = gzipSync('a\nb\nc');
  const flawed = (at: number): Buffer => Buffer.from(small.map((byte, i) => (i === at ? byte ^ 0xff : byte)));
  const behind = await piped('a.gz', cutInto(Buffer.concat([small, Buffer.from('rubbish')]), 1000));
  t.deepEqual(behind, { bytes: Buffer.from('a\nb\nc'), code: 'GZIP_BEHIND' });
  const second = await piped('a.gz', cutInto(Buffer.concat([small, flawed(12)]), 1000));
  t.is(second.bytes.toString().slice(0, 5), 'a\nb\nc');
  t.is(second.code, 'GZIP_DAMAGED');
  const checksum = await piped('a.gz', cutInto(flawed(small.length - 8), 1000));
  t.deepEqual(checksum, { bytes: Buffer.from('a\nb\nc'), code: 'GZIP_DAMAGED' });
  const late = Buffer.concat([bytes, Buffer.alloc(10), Buffer.from('x')]);
  t.deepEqual(await piped('one.gz', cutInto(late, 64)), { bytes: PLAIN, code: 'GZIP_BEHIND' });
  t.deepEqual(await piped('one.gz', cutInto(late.subarray(0, -1), 64)), { bytes: PLAIN, code: null });
});

whereAll('zstd data that need a dictionary or a large window are reported as such', (t) => {
  const whole = (name: string, bytes: Uint8Array): Unpacked =>
    codecNamed(withoutCodec(name).codec!).whole(bytes, 1e6);
  const magic = [0x28, 0xb5, 0x2f, 0xfd];
  const noBlock = [1, 0, 0];
  t.is(whole('a.zst', Uint8Array.of(...magic, 0x21, 7, 0, ...noBlock)).code, 'PACKED_FOREIGN');
  t.is(whole('a.zst', Uint8Array.of(...magic, 0x00, 0xa8, ...noBlock)).code, 'PACKED_FOREIGN');
  t.deepEqual(whole('a.zst', Uint8Array.of(...magic, 0x00, 0x98, ...noBlock)).code, null);
});

whereAll('bytes behind compressed data, and data of another format, are reported as such', async (t) => {
  for (const { name, bytes, codec } of SAMPLES) {
    const word = codec.toUpperCase();
    for (const more of ['GARBAGE', 'garbage that is longer than a header']) {
      // The program xz reports such bytes as data that end early or are damaged.
      const flaw = codec === 'xz' ? (more.length < 10 ? 'TRUNCATED' : 'DAMAGED') : 'BEHIND';
      const followed = Buffer.concat([bytes, Buffer.from(more)]);
      const whole = codecNamed(codec).whole(followed, 1e6);
      t.is<string | null, string>(whole.code, `${word}_${flaw}`, `${name} ${more}`);
      t.true(PLAIN.equals(whole.bytes), name);
      t.deepEqual<unknown, unknown>(
        await piped(name, cutInto(followed, 700)),
        { bytes: PLAIN, code: `${word}_${flaw}` },
        name,
      );
    }
    const other = Buffer.from('a text without compression');
    t.is<string | null, string>(codecNamed(codec).whole(other, 1e6).code, `${word}_OTHER`, name);
    t.is<string | null, string>((await piped(name, cutInto(other, 9))).code, `${word}_OTHER`, name);
  }
});

test('a stream of which only the beginning is wanted ends its source, so that no program is left running', async (t) => {
  for (const { name, bytes, codec } of SAMPLES) {
    let isEnded = false;
    async function* source(): Pieces {
      try {
        for (;;) yield bytes;
      } finally {
        isEnded = true;
      }
    }
    const { start, all } = await begun(codecNamed(codec).stream(source()), 4);
    t.is(Buffer.from(start.subarray(0, 4)).toString(), '{"id', name);
    await all.return(undefined);
    t.true(isEnded, name);
  }
});

whereAll('a run has the same result however its lines are compressed, called and given', async (t) => {
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
