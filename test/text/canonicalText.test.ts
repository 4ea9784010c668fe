import test from 'ava';
import fc from 'fast-check';
import { CanonicalText } from '../../src/text/canonicalText.js';
import { canonicalText } from '../../src/text/tokens.js';
import { codePointTable, lowerCaseOf, UNASSIGNED } from '../../src/text/unicode/codePoints.js';
import {
  cuts,
  documents,
  encode,
  hostileBytes,
  piecesOf,
  texts,
  withoutIgnorable,
} from '../data/shingledDocuments.js';

const table = codePointTable();

/** Canonical text by strings, for documents without long runs of marks. */
function expected(bytes: Uint8Array): string {
  let result = '';
  let stretch = '';
  const close = (): void => {
    for (const character of stretch.normalize('NFC')) {
      result += String.fromCodePoint(lowerCaseOf(table, character.codePointAt(0)!));
    }
    stretch = '';
  };
  for (const character of withoutIgnorable(new TextDecoder().decode(bytes))) {
    if ((table.flags[character.codePointAt(0)!]! & UNASSIGNED) === 0) {
      stretch += character;
    } else {
      close();
      result += character;
    }
  }
  close();
  return result;
}

function wasRepaired(pieces: readonly Uint8Array[]): boolean {
  const text = new CanonicalText(() => {});
  for (const piece of pieces) text.push(piece);
  text.end();
  return text.repaired;
}

function isValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

test('canonical text is the decoded text in NFC and simple lower case', (t) => {
  fc.assert(
    fc.property(documents, (bytes) => canonicalText(bytes) === expected(bytes)),
    { seed: 1, numRuns: 6000 },
  );
  t.pass();
});

test('jamo, marks and syllables in any order are normalised like the whole text', (t) => {
  const joiners = fc.constantFrom(
    0x61,
    0x1100,
    0x1161,
    0x1175,
    0x11a8,
    0x11c2,
    0xac00,
    0xac01,
    0x301,
    0x34f,
    0xd7b0,
  );
  fc.assert(
    fc.property(fc.array(joiners, { maxLength: 8 }), (codePoints) => {
      const bytes = encode(String.fromCodePoint(...codePoints));
      return canonicalText(bytes) === expected(bytes);
    }),
    { seed: 4, numRuns: 5000 },
  );
  t.pass();
});

test('invalid UTF-8 becomes U+FFFD as with TextDecoder, and counts as repaired', (t) => {
  fc.assert(
    fc.property(hostileBytes, (bytes) => {
      return canonicalText(bytes) === expected(bytes) && wasRepaired([bytes]) === !isValid(bytes);
    }),
    { seed: 1, numRuns: 4000 },
  );
  t.is(
    canonicalText(Uint8Array.of(0xf0, 0x9f, 0x98, 0x41, 0xed, 0xa0, 0x80, 0xc0)),
    '\ufffda\ufffd\ufffd\ufffd\ufffd',
  );
});

test('canonical text and repairs do not depend on the cuts', (t) => {
  fc.assert(
    fc.property(documents, cuts, (bytes, fractions) => {
      const pieces = piecesOf(bytes, fractions);
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      let result = '';
      const text = new CanonicalText((piece, count) => {
        result += decoder.decode(piece.subarray(0, count));
      });
      for (const piece of pieces) text.push(piece);
      text.end();
      return result === canonicalText(bytes) && text.repaired === wasRepaired([bytes]);
    }),
    { seed: 2, numRuns: 3000 },
  );
  t.pass();
});

test('default-ignorable code points are removed, except U+200B', (t) => {
  t.is(canonicalText(encode('\ufeffa\ufeffb')), 'ab');
  t.is(canonicalText(encode('docu\u00admen\u200dta\u200ction\u2060')), 'documentation');
  t.is(canonicalText(encode('e\u00ad\u0301\ufe0f')), '\u00e9');
  t.is(canonicalText(encode('a\u200bb')), 'a\u200bb');
  t.is(canonicalText(Uint8Array.of(0xef, 0xbb)), '\ufffd');
  t.false(wasRepaired([Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf)]));
});

test('composed and decomposed texts have the same canonical text', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      // Stretches of assigned code points only: the engine may know more.
      const known = Array.from(text).filter((c) => (table.flags[c.codePointAt(0)!]! & UNASSIGNED) === 0);
      const whole = known.join('').replaceAll('\ufeff', '');
      return canonicalText(encode(whole.normalize('NFC'))) === canonicalText(encode(whole.normalize('NFD')));
    }),
    { seed: 3, numRuns: 3000 },
  );
  t.pass();
});

test('a run of more than 30 marks is cut by U+034F after every 30 marks, and counts as repaired', (t) => {
  const mark = '\u0323';
  const run = (count: number): string => `b${mark.repeat(count)}c`;
  t.is(canonicalText(encode(run(30))), run(30).normalize('NFC'));
  t.false(wasRepaired([encode(run(30))]));
  const cut = canonicalText(encode(run(61)));
  t.is(cut, `${run(30).slice(0, -1)}\u034f${mark.repeat(30)}\u034f${mark}c`.normalize('NFC'));
  t.true(wasRepaired([encode(run(61))]));
});

test('a run of marks of any length and cut anywhere needs no more memory than a short one', (t) => {
  const marks = encode('\u0301\u0323'.repeat(40_000));
  let bytes = 0;
  const text = new CanonicalText((_, count) => {
    bytes += count;
  });
  text.push(encode('a'));
  for (let i = 0; i < marks.length; i += 7) text.push(marks.subarray(i, i + 7));
  text.end();
  // 80,000 marks of two bytes and a joiner after each 30; "a" takes in the dot below and the acute: U+1EA1
  // U+0301.
  t.is(bytes, 1 + 160_000 + 2 * Math.floor(79_999 / 30));
});

test('text that exceeds one piece of output is complete', (t) => {
  const line = 'Ünïcode ÅNGSTRÖM 中文 e\u0301 '.repeat(3000);
  t.is(canonicalText(encode(line)), expected(encode(line)));
  for (const padding of [16382, 16383, 16384, 16385]) {
    const text = `${'x'.repeat(padding)}\u0301\u0323é`;
    t.is(canonicalText(encode(text)), expected(encode(text)));
  }
});

test('four bytes that fill the output do not lose the following text', (t) => {
  for (let padding = 16370; padding <= 16390; padding++) {
    const text = `${'x'.repeat(padding)}\u{1f600}ABC\u{1f600}`;
    t.is(canonicalText(encode(text)), expected(encode(text)), `${padding}`);
  }
});

test('a document that was not ended does not affect the next one', (t) => {
  for (const first of ['abc', 'a\u0301', '\u1100', '\u{1f600}']) {
    let result = '';
    const text = new CanonicalText((bytes, count) => {
      result += new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, count));
    });
    text.begin();
    text.push(encode(first));
    // Half of a sequence, too.
    text.push(Uint8Array.of(0xf0, 0x9f));
    result = '';
    text.begin();
    text.push(encode('\u0302z'));
    text.end();
    t.is(result, '\u0302z');
    t.false(text.repaired);
  }
});
