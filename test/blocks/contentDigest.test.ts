import test from 'ava';
import { ContentDigest } from '../../src/blocks/contentDigest.js';

const keys = Uint32Array.from({ length: 40_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));

function digestOf(...parts: readonly Uint32Array[]): ContentDigest {
  const digest = new ContentDigest();
  for (const part of parts) digest.add(part);
  return digest;
}

test('the digest of a corpus is the sum of its content keys, word by word', (t) => {
  t.is(digestOf().text(), '0'.repeat(32));
  const two = Uint32Array.of(1, 2, 3, 0xffffffff, 0x10, 0x20, 0x30, 2);
  t.is(digestOf(two).text(), '00000011000000220000003300000001');
});

test('the digest does not depend on batches or on their order', (t) => {
  const whole = digestOf(keys).text();
  t.is(digestOf(keys.subarray(400), keys.subarray(0, 400)).text(), whole);
  const sum = new ContentDigest();
  for (const part of [keys.subarray(8000), keys.subarray(0, 8000)]) sum.addText(digestOf(part).text());
  t.is(sum.text(), whole);
});

test('a copy of a document changes the digest', (t) => {
  t.not(digestOf(keys, keys.subarray(0, 4)).text(), digestOf(keys).text());
});
