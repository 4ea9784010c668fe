import test from 'ava';
import { ContentKey } from '../../../src/text/keys/contentKey.js';
import type { ShingleParams } from '../../../src/text/shingles.js';
import { createShingleStream } from '../../../src/text/shingles.js';
import { encode } from '../../data/shingledDocuments.js';

function keyOf(text: string | Uint8Array, unit: ShingleParams['unit'] = 'words', size = 5): string {
  const stream = createShingleStream({ unit, size, bag: false, stopWords: ['the'], seed: 1 }, () => {});
  stream.push(typeof text === 'string' ? encode(text) : text);
  stream.end();
  return Array.from(stream.contentKey, (word) => word.toString(16).padStart(8, '0')).join('');
}

test('layout, case and punctuation do not change the content key of words', (t) => {
  const key = keyOf('The quick brown fox jumps');
  t.is(keyOf('\ufeff  THE “quick”,\r\n\tbrown--fox;  jumps!!\n'), key);
  t.not(keyOf('The quick brown fox jump'), key);
  t.not(keyOf('The quick fox brown jumps'), key);
  t.not(keyOf('Thequick brown fox jumps'), key);
});

test('composed and decomposed text have the same content key in every unit except bytes', (t) => {
  const text = 'Ünïcode Ångström İstanbul 한국어 がぎ ế सभी';
  for (const unit of ['words', 'chars', 'lines', 'stopwords'] as const) {
    t.is(keyOf(text.normalize('NFD'), unit), keyOf(text.normalize('NFC'), unit), unit);
  }
  t.not(keyOf(text.normalize('NFD'), 'bytes'), keyOf(text.normalize('NFC'), 'bytes'));
});

test('the content key does not depend on the shingle size', (t) => {
  t.is(keyOf('one two three', 'words', 1), keyOf('one two three', 'words', 9));
});

test('white space runs are one blank for characters and line ends are one for lines', (t) => {
  t.is(keyOf(' a \n\u3000 b ', 'chars'), keyOf('a b', 'chars'));
  t.not(keyOf('ab', 'chars'), keyOf('a b', 'chars'));
  t.is(keyOf('a\r\n\r\nb', 'lines'), keyOf(' A\nB \n', 'lines'));
  t.is(keyOf('a \t \r\n\u3000b  ', 'lines'), keyOf('a\nb', 'lines'));
  t.not(keyOf('a\nb', 'lines'), keyOf('a b', 'lines'));
});

test('the number of NUL bytes at the end counts', (t) => {
  for (const unit of ['bytes', 'chars', 'lines'] as const) {
    const keys = new Set<string>();
    for (let count = 0; count < 40; count++) keys.add(keyOf(`x${'\0'.repeat(count)}`, unit));
    t.is(keys.size, 40, unit);
  }
});

test('documents that differ in one place or in the order of two tokens have different keys', (t) => {
  const words = Array.from({ length: 200 }, (_, i) => `w${i}`);
  const keys = new Set([keyOf(words.join(' '))]);
  for (let i = 0; i + 1 < words.length; i++) {
    const changed = [...words];
    changed[i] = 'other';
    keys.add(keyOf(changed.join(' ')));
    const swapped = [...words];
    swapped[i] = words[i + 1]!;
    swapped[i + 1] = words[i]!;
    keys.add(keyOf(swapped.join(' ')));
  }
  t.is(keys.size, 1 + 2 * 199);
});

test('ContentKey of bytes does not depend on the cuts', (t) => {
  const bytes = Uint8Array.from({ length: 41 }, (_, i) => i * 37);
  const whole = new Uint32Array(4);
  const cut = new Uint32Array(4);
  const key = new ContentKey(1);
  key.begin();
  key.takeBytes(bytes, bytes.length);
  key.finishBytes(whole);
  for (let i = 0; i <= bytes.length; i++) {
    for (let j = i; j <= bytes.length; j++) {
      key.begin();
      key.takeBytes(bytes.subarray(0, i), i);
      key.takeBytes(bytes.subarray(i, j), j - i);
      key.takeBytes(bytes.subarray(j), bytes.length - j);
      key.finishBytes(cut);
      if (cut.some((word, place) => word !== whole[place])) t.fail(`cut at ${i} and ${j}`);
    }
  }
  t.pass();
});
