/** Small corpora with everything that a result tells: copies of all kinds, empty and broken texts, ids that need escapes. */
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { nearCopies } from '../../data/nearCopies.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';

export type SmallFiles = Readonly<Record<string, string | Uint8Array>>;

const UTF8 = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;
const COLUMNS: SchemaElement[] = [
  { name: 'schema', num_children: 4 },
  { name: 'id', ...UTF8 },
  { name: 'num', type: 'INT64', repetition_type: 'OPTIONAL' },
  { name: 'text', ...UTF8 },
  { name: 'parts', num_children: 1, converted_type: 'LIST', repetition_type: 'OPTIONAL' },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  { name: 'element', ...UTF8 },
];

const NAMES = ['id,1', 'tab\there', 'line\nfeed', 'back\\x41slash', 'é"quoted"', ' blank '];

/** A text of its own, or a copy of an earlier one: its words, other case, or a few edits. */
function textFrom(random: () => number, earlier: string[]): string {
  const kind = random();
  const before = earlier[Math.floor(random() * earlier.length)];
  if (kind < 0.05) return '';
  if (before === undefined || before === '' || kind < 0.35) return wordsFrom(random, 80).join(' ');
  if (kind < 0.5) return before;
  if (kind < 0.6) return before.toUpperCase();
  return edited(random, before.split(' '), 1 + Math.floor(random() * 3)).join(' ');
}

/** `count` texts of which most are copies. */
function textsFrom(random: () => number, count: number): string[] {
  const texts: string[] = [];
  for (let i = 0; i < count; i++) texts.push(textFrom(random, texts));
  return texts;
}

/** A line; a few name no id, or one that another has, or are no documents. */
function lineOf(random: () => number, text: string, i: number, isNamed: boolean): string {
  const kind = random();
  if (kind < 0.03) return '{"text": 1}';
  if (kind < 0.05) return 'no JSON';
  if (kind < 0.06) return ' ';
  // A lone surrogate is repaired.
  const told = kind < 0.1 ? `${JSON.stringify(text).slice(0, -1)} \\ud800"` : JSON.stringify(text);
  if (!isNamed || kind > 0.8) return `{"text": ${told}}`;
  const name = kind < 0.3 ? NAMES[i % NAMES.length]! : kind < 0.35 ? 'a.jsonl#3' : `n${(i * 7) % 61}`;
  return `{"id": ${JSON.stringify(name)}, "text": ${told}}`;
}

/** JSON lines in several files. */
export function smallLines(seed: number, count: number, isNamed: boolean): SmallFiles {
  const random = randomFrom(seed);
  const lines = textsFrom(random, count).map((text, i) => lineOf(random, text, i, isNamed));
  const files: Record<string, string> = {};
  const names = ['a.jsonl', 'b.jsonl', 'deep/c.jsonl', 'e\\xe9\xe9\t.jsonl'];
  names.forEach((name, k) => {
    const own = lines.filter((_, i) => i % names.length === k);
    files[name] = `${k === 2 ? '\ufeff' : ''}${own.join(k === 2 ? '\r\n' : '\n')}${k === 1 ? '' : '\n'}`;
  });
  const broken = Buffer.from('{"text": "not UTF-8: \xff, and again \xc3"}\n{"text": "\xff"}', 'latin1');
  return { ...files, 'broken.jsonl': broken, 'empty.jsonl': '' };
}

/** Lines that are near copies of one page, so that they share buckets. */
export function copiedLines(count: number): SmallFiles {
  return {
    'copies.jsonl': nearCopies(count)
      .map((copy) => JSON.stringify(copy))
      .join('\n'),
  };
}

/** Lines that begin with one of a few headers, and of which many have little else: samples of them share frequent fingerprints. */
export function headedLines(seed: number, count: number): SmallFiles {
  const random = randomFrom(seed);
  const headers = Array.from({ length: 3 }, () => wordsFrom(random, 40));
  const texts: string[][] = [];
  for (let i = 0; i < count; i++) {
    const header = headers[Math.floor(random() * random() * headers.length)]!;
    const copied = texts[Math.floor(random() * texts.length)];
    const own = random() < 0.5 ? 8 : 60;
    const text =
      copied !== undefined && random() < 0.4
        ? edited(random, copied, 1 + Math.floor(random() * 4))
        : [...(random() < 0.5 ? header : edited(random, header, 2)), ...wordsFrom(random, own)];
    texts.push(text);
  }
  const lines = texts.map((words, i) => JSON.stringify({ id: `h${(i * 31) % 997}`, text: words.join(' ') }));
  return { 'headed.jsonl': lines.join('\n') };
}

/** Two files of columns in several row groups: texts, lists of texts, ids as strings and as numbers; of all some are null. */
export function smallColumns(seed: number, count: number): SmallFiles {
  const random = randomFrom(seed);
  const texts = textsFrom(random, count).map((text) => (random() < 0.1 ? null : text));
  const broken = Buffer.from('bytes that are no UTF-8: \xff, and again \xc3', 'latin1');
  const fileOf = (own: readonly (string | null)[]): Uint8Array => {
    const columns: Readonly<Record<string, readonly unknown[]>> = {
      id: own.map((_, i) => (i % 4 === 1 ? null : i % 9 === 2 ? '' : `n${i % 31}`)),
      num: own.map((_, i) => (i % 5 === 1 ? null : BigInt(i % 29) * -(10n ** 16n))),
      text: own.map((text, i) => (i % 17 === 3 ? broken : text)),
      parts: own.map((_, i) =>
        i % 3 === 0 ? null : i % 3 === 1 ? [null, ''] : ['', `part ${i % 4}`, null, 'b'],
      ),
    };
    const columnData = Object.entries(columns).map(([name, data]) => ({ name, data: [...data] }));
    return new Uint8Array(
      parquetWriteBuffer({ columnData, schema: COLUMNS, rowGroupSize: 13, pageSize: 500 }),
    );
  };
  return {
    'a.parquet': fileOf(texts.filter((_, i) => i % 3 > 0)),
    'deep/b ü%41.parquet': fileOf(texts.filter((_, i) => i % 3 === 0)),
  };
}

/** The same texts as files of their own, the last of them not UTF-8. */
export function smallTexts(seed: number, count: number): SmallFiles {
  const random = randomFrom(seed);
  const texts = textsFrom(random, count);
  const named = texts.map((text, i): [string, string] => [
    `${i % 3}/t${i % 5 === 0 ? '\n' : ''}${i}.txt`,
    text,
  ]);
  const broken = Buffer.concat([Buffer.from(texts.find((text) => text !== '')!), Buffer.of(0xff)]);
  return { ...Object.fromEntries(named), 'broken\xff.txt': broken };
}
