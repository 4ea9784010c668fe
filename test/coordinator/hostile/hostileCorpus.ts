/**
 * A corpus that has everything at once: identical and near copies, odd scripts, broken and binary files, a
 * giant document, a large bucket, every format, names that are hard to handle. From a seed; names are binary strings.
 */
import { gzipSync } from 'node:zlib';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import type { Files } from '../runs/finished.js';

/** `giantBytes`: size of the giant document; `hotCopies`: near copies of one page. */
export interface CorpusSize {
  readonly giantBytes: number;
  readonly hotCopies: number;
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const HAN = '天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏閏餘成歲律呂調陽雲騰致雨露結為霜';
const THAI = 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผล';
const KANA = 'いろはにほへとちりぬるをわかよたれそつねならむうゐのおくやまけふこえてあさきゆめみしゑひもせす';
const RUSSIAN = 'Все люди рождаются свободными и равными в своём достоинстве и правах они наделены разумом';

function plainTexts(random: () => number): Record<string, string | Uint8Array> {
  const page = wordsFrom(random, 180);
  const accents = Array.from({ length: 30 }, (_, i) => `é${i} ñandú Ångström`).join(' ');
  const long = wordsFrom(random, 400).join(' ');
  return {
    'a/page.txt': page.join(' '),
    'a/page copy.txt': `${page.join('\n').toUpperCase()}!`,
    'a/near\t1.txt': edited(random, page, 3).join(' '),
    'a/near\n2.txt': edited(random, page, 5).join('\r\n'),
    [`a/${utf8('ünïcode')}.txt`]: edited(random, page, 9).join(' '),
    'a/bad\xff\xfename.txt': page.join(' '),
    'short/1.txt': 'one',
    'short/1b.txt': 'ONE.',
    'short/2.txt': 'one two',
    'short/4.txt': 'one two three four',
    'short/4b.txt': 'One, two; three: four?',
    'blank/empty.txt': '',
    'blank/empty2.txt': '',
    'blank/spaces.txt': ' \n\t \r\n',
    'blank/marks.txt': '?!... --- ***',
    'script/han.txt': HAN.repeat(2),
    'script/han2.txt': `${HAN.repeat(2)}。`,
    'script/han3.txt': `${HAN.repeat(2).slice(0, 60)}新${HAN.repeat(2).slice(61)}`,
    'script/thai.txt': THAI.repeat(2),
    'script/thai2.txt': THAI.repeat(2).split('').join(''),
    'script/kana.txt': KANA,
    'script/kana2.txt': KANA.split('').join(' '),
    'script/russian.txt': RUSSIAN,
    'script/russian2.txt': RUSSIAN.toUpperCase(),
    'form/nfc.txt': accents.normalize('NFC'),
    'form/nfd.txt': accents.normalize('NFD'),
    'broken/invalid.txt': Buffer.from(`${long} \xff\xfe \xe2\x82`, 'latin1'),
    'broken/replaced.txt': `${long} \ufffd\ufffd \ufffd`,
    'broken/marks.txt': `e${'\u0301'.repeat(100)} ${long}`,
    'broken/binary.bin': Buffer.concat([Buffer.from('ELF'), Buffer.alloc(64), Buffer.from(long)]),
    '.hidden/never.txt': long,
  };
}

function records(random: () => number): Record<string, string | Uint8Array> {
  const page = wordsFrom(random, 120);
  const line = (id: unknown, words: readonly string[]): string =>
    JSON.stringify(
      id === null ? { text: words.join(' ') } : { id, text: words.join(' '), extra: [1, { a: null }] },
    );
  const lines = [
    line('first', page),
    line(null, edited(random, page, 2)),
    line(17, edited(random, page, 4)),
    line('first', page),
    '',
    '{"id":"x","text":',
    '["no object"]',
    '{"id":"y"}',
    '{"id":{},"text":"bad id"}',
    `${line('crlf', page)}\r`,
    line('tab\t"\\\n', edited(random, page, 1)),
    '{"id":"esc","text":"\\u0065\\ud83d\\ude00 \\ud800 lone"}',
    line('a/page.txt', page),
  ];
  const zipped = lines.map((text, i) => (i % 2 === 0 ? text : line(`z${i}`, edited(random, page, i))));
  const elements = [line('el', edited(random, page, 3)), line(null, page), '3', line('el', page)];
  return {
    'lines/records.jsonl': `\ufeff${lines.join('\n')}`,
    'lines/records.jsonl.gz': gzipSync(`${zipped.join('\n')}\n`),
    'lines/cut.jsonl.gz': gzipSync(zipped.join('\n')).subarray(0, -40),
    'lines/binary.jsonl': Buffer.from('{"a":"\0"}\n'),
    'json/object.json': line('object', page),
    'json/array.json': `[${elements.join(',\n')}]`,
    'json/settings.json': '{"compilerOptions": {"strict": true, "target": "es2022", "module": "nodenext"}}',
    'zip/page.txt.gz': gzipSync(page.join(' ')),
    'zip/cut.txt.gz': gzipSync(wordsFrom(random, 500).join(' ')).subarray(0, -20),
  };
}

/**
 * Copies of a page of 150 words with 0 to 16 edits each, so that they share buckets but not all resemble the
 * first: the rounds after the first have something to do.
 */
function hotBucket(random: () => number, copies: number): Record<string, string> {
  const page = wordsFrom(random, 150);
  const files: Record<string, string> = {};
  for (let i = 0; i < copies; i++) {
    files[`hot/${i % 10}/${i}.txt`] = edited(random, page, (i * i) % 17).join(' ');
  }
  return files;
}

export function hostileCorpus(size: CorpusSize): Files {
  const random = randomFrom(20240607);
  const giant = wordsFrom(random, size.giantBytes / 6).join(' ');
  return {
    ...plainTexts(random),
    ...records(random),
    ...hotBucket(random, size.hotCopies),
    'giant/one.txt': giant,
    'giant/two.txt': `${giant} and an end of its own`,
  };
}
