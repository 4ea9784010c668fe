/**
 * Texts that are easily got wrong: none, few words, other layouts, scripts without blanks, Unicode forms.
 */
import test from 'ava';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished, pairNames } from '../runs/finished.js';

const SIXTY = wordsFrom(randomFrom(60), 60);

test('empty, blank and punctuation-only texts are in no pair, are kept and are counted', async (t) => {
  const { pairs, clusters, dropped, skipped, noted, manifest, summary } = await finished(t, {
    'empty1.txt': '',
    'empty2.txt': '',
    'blank1.txt': ' \t\n',
    'blank2.txt': ' \t\n',
    'mark.txt': '\ufeff',
    'marks1.txt': '?! -- ...',
    'marks2.txt': '?! -- ...',
  });
  t.deepEqual([pairs, clusters, dropped, skipped], [[], [], [], []]);
  t.deepEqual(new Set(noted.map(({ kind }) => kind)), new Set(['empty']));
  const { documents, read, empty, kept, candidate_pairs } = manifest.counts;
  t.deepEqual(
    { documents, read, empty, kept, candidate_pairs },
    {
      documents: 7,
      read: 7,
      empty: 7,
      kept: 7,
      candidate_pairs: 0,
    },
  );
  t.regex(summary, /^ +7 {2}are empty/m);
});

test('equal texts of one to four words are pairs, and different ones are not', async (t) => {
  const { pairs } = await finished(t, {
    '1a': 'alpha',
    '1b': 'alpha',
    '1c': 'beta',
    '2a': 'alpha beta',
    '2b': 'Alpha\nbeta!',
    '2c': 'beta alpha',
    '3a': 'alpha beta gamma',
    '3b': 'alpha beta gamma',
    '3c': 'alpha beta delta',
    '4a': 'alpha beta gamma delta',
    '4b': 'alpha, beta, gamma, delta',
    '4c': 'alpha beta gamma',
  });
  t.deepEqual(pairNames(pairs), [
    '1a 1b identical',
    '2a 2b same-tokens',
    '3a 3b identical',
    '3a 4c identical',
    '4a 4b same-tokens',
  ]);
});

test('two different texts of three words are not a pair at any threshold', async (t) => {
  const texts = { a: 'one two three', b: 'one two four' };
  t.deepEqual((await finished(t, texts, { threshold: 0.01, bands: 128, rows: 1 })).pairs, []);
});

/** Texts of at least 60 words of their script, and where one of their words may be replaced. */
const SCRIPTS: Readonly<Record<string, { text: string; near: string }>> = (() => {
  const han =
    '天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇始制文字乃服衣裳';
  const japanese =
    '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。吾輩はここで始めて人間というものを見た。';
  const thai =
    'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผล' +
    'และมโนธรรมและควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ';
  const russian = Array.from({ length: 60 }, (_, i) => `слово${'абвгде'[i % 6]}${i} Ёлка`).join(' ');
  return {
    chinese: { text: han, near: `${han.slice(0, 40)}龍${han.slice(41)}` },
    japanese: { text: japanese, near: japanese.replace('猫', '犬') },
    russian: { text: russian, near: russian.replace('слово', 'число') },
    thai: { text: thai, near: `${thai}ครับ` },
  };
})();

test('copies and near copies in Chinese, Japanese, Russian and Thai are found', async (t) => {
  const files: Record<string, string> = {};
  for (const [name, { text, near }] of Object.entries(SCRIPTS)) {
    files[`${name}1`] = text;
    files[`${name}2`] = `«${text.toUpperCase()}»\n`;
    files[`${name}3`] = near;
  }
  const { pairs } = await finished(t, files);
  t.deepEqual(
    pairNames(pairs),
    Object.keys(SCRIPTS).flatMap((name) => [`${name}1 ${name}2 same-tokens`, `${name}1 ${name}3 near`]),
  );
});

test('texts with invalid UTF-8 are read with U+FFFD in its place and counted as repaired', async (t) => {
  const words = SIXTY.join(' ');
  const { pairs, manifest, summary } = await finished(t, {
    a: Buffer.from(`${words} x\xffy`, 'latin1'),
    b: `${words} x\ufffdy`,
    c: `${words} x${'\u0301'.repeat(31)}`,
  });
  t.is(pairNames(pairs)[0], 'a b same-tokens');
  t.is(manifest.counts.repaired, 2);
  t.regex(summary, /^ +2 {2}were repaired/m);
});

test('a near copy of sixty words is reported with its exact resemblance', async (t) => {
  const near = edited(randomFrom(5), SIXTY, 1);
  const { pairs, candidates } = await finished(t, { a: SIXTY.join(' '), b: near.join(' ') });
  t.deepEqual(pairNames(pairs), ['a b near']);
  t.is(candidates[0]!.accepted, 'yes');
});
