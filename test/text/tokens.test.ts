import test from 'ava';
import fc from 'fast-check';
import { TokenHash } from '../../src/text/tokenHash.js';
import { canonicalTokens } from '../../src/text/tokens.js';
import { encode } from '../data/shingledDocuments.js';
import { tokenHash } from './shinglesByBigInt.js';

const words = (text: string): string[] => canonicalTokens(encode(text), { unit: 'words' });
const chars = (text: string): string[] => canonicalTokens(encode(text), { unit: 'chars' });
const lines = (text: string): string[] => canonicalTokens(encode(text), { unit: 'lines' });

test('words are runs of letters, marks and numbers in lower case', (t) => {
  t.deepEqual(words('Hello, World! 3.14 don’t x_y A1-b2'), [
    'hello',
    'world',
    '3',
    '14',
    'don',
    't',
    'x',
    'y',
    'a1',
    'b2',
  ]);
  t.deepEqual(words('Съешь ещё этих Мягких БУЛОК.'), ['съешь', 'ещё', 'этих', 'мягких', 'булок']);
  t.deepEqual(words('सभी मनुष्यों को'), ['सभी', 'मनुष्यों', 'को']);
  t.deepEqual(words('مَرْحَبًا بالعالم'), ['مَرْحَبًا', 'بالعالم']);
  t.deepEqual(words('한국어 단어'), ['한국어', '단어']);
});

test('soft hyphens, joiners and byte order marks do not split or change a word; U+200B splits it', (t) => {
  t.deepEqual(words('docu\u00admentation na\u2060me zero\ufeffwidth a\u200db\u200cc \u00ad'), [
    'documentation',
    'name',
    'zerowidth',
    'abc',
  ]);
  t.deepEqual(words('two\u200bwords'), ['two', 'words']);
});

test('a letter of a script without blanks is a word with the marks that follow', (t) => {
  t.deepEqual(words('第3章：人人生而自由'), ['第', '3', '章', '人', '人', '生', '而', '自', '由']);
  t.deepEqual(words('東京タワーとABC'), ['東', '京', 'タ', 'ワ', 'ー', 'と', 'abc']);
  t.deepEqual(words('か\u3099き'), ['が', 'き']);
  t.deepEqual(words('กรุงเทพ'), ['ก', 'รุ', 'ง', 'เ', 'ท', 'พ']);
  t.deepEqual(words('ที่นี่'), ['ที่', 'นี่']);
  t.deepEqual(words('a中b\u0301c'), ['a', '中', 'b\u0301c']);
});

test('a mark without a letter before it starts a word', (t) => {
  t.deepEqual(words('\u0301a b \u0301中'), ['\u0301a', 'b', '\u0301', '中']);
});

test('the Turkish dotted capital I is i in composed and decomposed form', (t) => {
  t.deepEqual(words('İstanbul'), ['istanbul']);
  t.deepEqual(words('I\u0307stanbul'), ['istanbul']);
  t.deepEqual(words('ISTANBUL istanbul ıstanbul'), ['istanbul', 'istanbul', 'ıstanbul']);
});

test('characters are code points with one blank for a run of white space and none at the ends', (t) => {
  t.deepEqual(chars(' \n A\u3000\u0085b\t\r\n😀. '), ['a', ' ', 'b', ' ', '😀', '.']);
  t.deepEqual(chars('e\u0301'), ['é']);
  t.deepEqual(chars(' \u2028 '), []);
});

test('lines end at LF, CR or CRLF, are trimmed, and blank ones are dropped', (t) => {
  t.deepEqual(lines('  One \u3000two\r\n\r\n \t\n\u2003THREE\rthree\u2028x\u0085\nfour'), [
    'one \u3000two',
    'three',
    'three\u2028x',
    'four',
  ]);
});

test('bytes are two hexadecimal digits each and nothing is dropped', (t) => {
  const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x00, 0x41, 0xff);
  t.deepEqual(canonicalTokens(bytes, { unit: 'bytes' }), ['ef', 'bb', 'bf', '00', '41', 'ff']);
});

test('shingles of stop words consist of words', (t) => {
  t.deepEqual(canonicalTokens(encode('To be!'), { unit: 'stopwords' }), ['to', 'be']);
});

test('documents that are empty, blank or punctuation only have no words', (t) => {
  for (const text of ['', '\ufeff', ' \n\t ', '... --- !!!', '\u3000。', '😀'])
    t.deepEqual(words(text), [], text);
});

test('TokenHash is the documented hash at every length', (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 50 }),
      fc.constantFrom(0, 1, 12345678901234),
      fc.boolean(),
      (bytes, seed, withLength) => {
        const hash = new TokenHash(seed, withLength);
        const out = new Uint32Array(4);
        for (const byte of [7, 7, 7]) hash.add(byte);
        hash.finish(out, 0);
        for (const byte of bytes) hash.add(byte);
        hash.finish(out, 2);
        const found = BigInt(out[2]!) | (BigInt(out[3]!) << 32n);
        return found === tokenHash(bytes, seed, withLength);
      },
    ),
    { seed: 1, numRuns: 2000 },
  );
  t.pass();
});

test('TokenHash of lines depends on NUL bytes', (t) => {
  const seen = new Set<bigint>();
  for (let count = 0; count < 40; count++) seen.add(tokenHash(encode(`a${'\0'.repeat(count)}`), 1, true));
  t.is(seen.size, 40);
});
