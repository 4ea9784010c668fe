/** Ids as strings of the library: laws of the way to bytes and back. */
import test from 'ava';
import fc from 'fast-check';
import { binaryOf, binaryOfId, bytesOf, idOfBinary, idOfBytes } from '../../../src/readers/list/pathIds.js';
import { anyText } from '../../data/anyText.js';

const SEED = { seed: 20_261_121 };

test('an id of UTF-8 is its text, and any bytes come back from their id', (t) => {
  fc.assert(
    fc.property(anyText({ maxLength: 20 }), (text) => {
      t.is(idOfBinary(binaryOf(text)), text);
      t.is(binaryOfId(text), binaryOf(text));
    }),
    SEED,
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const id = idOfBytes(bytes);
      t.deepEqual(new Uint8Array(bytesOf(binaryOfId(id))), bytes);
      // Ordinary where it can be: what has no lone surrogate is what a decoder makes of it.
      if (!/\p{Surrogate}/u.test(id)) t.is(id, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }),
    SEED,
  );
});

test('bytes that are not UTF-8 are lone surrogates, one each, and other lone surrogates become U+FFFD', (t) => {
  t.is(idOfBinary('caf\xe9.txt'), 'caf\udce9.txt');
  t.is(idOfBinary('\xff\xf0\x9f\x98\x80\xc3'), '\udcff😀\udcc3');
  t.is(idOfBinary('\xef\xbb\xbfa'), '\ufeffa');
  t.is(binaryOfId('a\ud800b'), 'a\xef\xbf\xbdb');
  t.is(binaryOfId('\udc7f\ud83d\ude00\udcff\udc80é'), '\xef\xbf\xbd\xf0\x9f\x98\x80\xff\x80\xc3\xa9');
  t.is(binaryOfId(''), '');
  // Shared memory, which decoders refuse.
  const shared = new Uint8Array(new SharedArrayBuffer(2));
  shared.set([0xc3, 0xa9]);
  t.is(idOfBytes(shared), 'é');
});
