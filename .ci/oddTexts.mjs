/**
 * Writes texts whose canonical form could differ between versions of Node, because theirs of Unicode do: code points that
 * are younger than the tables of the product (15.0) next to letters, marks that compose with them, case pairs, scripts
 * without blanks, and bytes that are no UTF-8. Always the same texts.
 *
 *     node .ci/oddTexts.mjs FOLDER
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

const point = (...codes) => String.fromCodePoint(...codes);

/** By name: pieces that are put between common words. */
const ODD = {
  // Assigned in 15.1 (CJK extension I), 16.0 (a Cyrillic and two Latin case pairs, Garay letters with case and digits,
  // Todhri, Tulu-Tigalari and Gurung Khema letters with canonical decompositions, Kirat Rai vowel signs that compose,
  // Ol Onal, Egyptian hieroglyphs) and 17.0 (Latin, Sidetic, Beria Erfe, Tolong Siki, CJK extension J).
  young: [
    point(0x2ebf0, 0x2ebf1),
    point(0x1c89) + point(0x1c8a),
    point(0xa7cb, 0xa7cc, 0xa7da),
    point(0x10d50, 0x10d70, 0x10d41),
    point(0x105d2, 0x0307, 0x105c9, 0x105da, 0x0307),
    point(0x11382, 0x113c9, 0x11383, 0x11384, 0x113bb),
    point(0x1611e, 0x1611e, 0x16121, 0x16129, 0x1611f),
    point(0x16d63, 0x16d67, 0x16d67, 0x16d69, 0x16d68),
    point(0x1e5d0, 0x1e5f1),
    point(0x13460),
    point(0xa7ce, 0xa7d2, 0xa7d4),
    point(0x10940, 0x16ea0, 0x16ebb, 0x11db0, 0x323b0),
  ],
  // Young marks with combining classes that older versions do not know: their order among old ones must not change.
  youngMarks: [
    `a${point(0x0301, 0x1acf, 0x0327)}`,
    `e${point(0x10efc, 0x0323, 0x0302)}`,
    `o${point(0x0897, 0x0308)}u${point(0x1ae0, 0x0331)}`,
  ],
  unassigned: [
    point(0x0378),
    `x${point(0x0530)}y`,
    point(0xfffe),
    point(0xe000),
    point(0x10ffff),
    point(0x50000),
  ],
  marks: [
    `q${'\u0323\u0307'.repeat(3)}`,
    `z${'\u0301'.repeat(40)}`,
    `d\u0307\u0323 ḍ\u0307 ḋ\u0323`,
    '\u0301 alone',
    `k${'\u05b4\u0591\u034f\u0345'.repeat(9)}`,
    `\u0b47\u0b3e \u1100\u1161\u11a8 \uac00\u11a8`,
  ],
  composed: [
    'Ångström',
    'A\u030angstro\u0308m',
    '\u212bngstr\u00f6m',
    '\u2126 \u03a9',
    '\u0958 \u0915\u093c',
    '\ufb1d \u05d9\u05b4',
  ],
  turkish: ['İSTANBUL ISPARTA', 'i\u0307stanbul ısparta', 'DİYARBAKIR', 'I\u0307zmir'],
  cases: ['STRASSE Straße STRAẞE', 'ΟΔΥΣΣΕΥΣ Ὀδυσσεύς', 'ǅ Ǆ ǆ', 'Ⅷ ⅷ Ⓐ ⓐ', 'ﬁne ﬀ', 'Ა ა', 'Ꭰ ꭰ'],
  chinese: ['今天天气很好我们去公园散步', '\u{20000}\u{2a6d6}字', '〇一二三'],
  japanese: ['カタカナとひらがな', 'か\u3099が', 'ｶﾞ', 'ー々〆'],
  asian: ['ภาษาไทยไม่มีช่องว่าง', 'ພາສາລາວ', 'ភាសាខ្មែរ', 'မြန်မာဘာသာ', '한국어 문장'],
  others: [
    'Привет Ёжик',
    'שָׁלוֹם עולם',
    'السَّلام عليكم',
    'हिन्दी',
    '👩‍👩‍👧‍👦 🏳️‍🌈',
    'a\u200bb\u00adc\ufeffd',
    '١٢٣ ④ ½ x²',
  ],
  spaces: ['a\u00a0b\u2003c\u3000d\u180ee\u0085f\u2028g\u2029h', '\v\f\u001c\u001f', 'tab\tend\r\nnext\rold'],
};

const COMMON =
  'the same few words stand around every odd piece so that copies of it are alike enough to be found'.split(
    ' ',
  );

/** The pieces of a name between the common words; `twist` makes a near copy. */
function textOf(pieces, twist) {
  const words = [];
  COMMON.forEach((word, i) => {
    words.push(word);
    if (i % 2 === 0) words.push(pieces[(i / 2) % pieces.length]);
    if (i % 6 === 5) words.push('\n');
  });
  return twist(words).join(' ');
}

const TWISTS = {
  plain: (words) => words,
  decomposed: (words) => words.map((word) => word.normalize('NFD')),
  upper: (words) => words.map((word) => word.toUpperCase()),
  edited: (words) => words.map((word, i) => (i === 7 ? 'other' : word)),
  shorter: (words) => words.slice(0, -3),
  joined: (words) => words.map((word, i) => (i % 5 === 0 ? `${word}${words[i + 1] ?? ''}` : word)),
};

// What Node makes of a text (NFD, upper case) may differ by version, but this script runs once, on one of them.
for (const [name, pieces] of Object.entries(ODD)) {
  for (const [twist, change] of Object.entries(TWISTS)) {
    writeFileSync(join(folder, `${name} ${twist}.txt`), textOf(pieces, change));
  }
}

const all = Object.values(ODD).flat();
const lines = all.map((piece, i) =>
  JSON.stringify({ id: `${i} ${piece}`, text: textOf([piece], TWISTS.plain) }),
);
writeFileSync(join(folder, 'records.jsonl'), `${lines.join('\n')}\n`);

const bytes = new TextEncoder().encode(textOf(ODD.composed, TWISTS.plain));
const BROKEN = [
  [0xff],
  [0xc3],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0xc0, 0xaf],
  [0xf0, 0x9f, 0x91],
];
BROKEN.forEach((sequence, i) => {
  const broken = new Uint8Array([...bytes.subarray(0, 60), ...sequence, ...bytes.subarray(60), ...sequence]);
  writeFileSync(join(folder, `broken ${i}.txt`), broken);
});
writeFileSync(
  join(folder, `${point(0x1c89)} ${point(0x105d2, 0x0307)} İ.txt`),
  textOf(ODD.young, TWISTS.plain),
);
