/** What first bytes say of files whose names do not say enough. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { FORMAT_BITS } from '../../../src/readers/list/fileList.js';
import { FORMATS } from '../../../src/readers/list/formats.js';
import { listInputs } from '../../../src/readers/list/inputs.js';
import { INPUT_KINDS } from '../../../src/sketch/formatNames.js';
import { programHere } from '../../cli/programHere.js';
import { rowsOf } from '../../coordinator/runs/resultFiles.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { readParams } from '../recordingSink.js';
import { filesOf } from './fileTables.js';

const AUTO = { ...readParams(), textFieldGiven: false, include: [], exclude: [] };

const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const line = (id: string, text: string): string => `${JSON.stringify({ id, text })}\n`;
const LINES = line('a', 'one two three four five six') + line('b', 'one two three four five six');

test('files without an ending are what they begin with; files with one are what it says', async (t) => {
  const top = temporaryFolder(t, {
    lines: LINES,
    'lines-compressed': gzipSync(LINES),
    'compressed.gz': gzipSync(LINES),
    wide: utf16(LINES),
    array: '[\n{"text": "a"}]',
    object: '{\n"text": "a"}',
    prose: 'Not a record.\n',
    broken: '{no record}\n',
    empty: '',
    'lines.txt': LINES,
    'lines.json': LINES,
    'lines.json.gz': gzipSync(LINES),
    'object.json': '{"text": "a"}\n',
    'pretty.json': '{\n"text": {\n}}',
    'long.json': `${line('a', 'x '.repeat(100_000))}{"text": "b"}`,
    'wide.jsonl': utf16(LINES),
    'compressed.jsonl': gzipSync(LINES),
    'array.jsonl': '\ufeff[\n{"text": "a"},\n{"text": "b"}\n]\n',
    'array.jsonl.gz': gzipSync('[{"text": "a"}]'),
    'compressed.txt': gzipSync('text'),
  });
  const told = async (input: 'auto' | 'text'): Promise<Record<string, string>> =>
    Object.fromEntries(
      filesOf((await listInputs({ paths: [top], outFolder: null, params: { ...AUTO, input } })).files).map(
        ({ id, format, codec, utf16: isWide }) => [
          id,
          [format, codec ?? [], isWide ? 'utf16' : []].flat().join(' '),
        ],
      ),
    );
  t.deepEqual(await told('auto'), {
    array: 'json-or-text',
    'array.jsonl': 'json',
    'array.jsonl.gz': 'json gzip',
    broken: 'json-or-text',
    empty: 'text',
    lines: 'jsonl',
    'lines.json': 'jsonl',
    'lines.json.gz': 'jsonl gzip',
    'object.json': 'json-or-text',
    'pretty.json': 'json-or-text',
    'long.json': 'jsonl',
    'lines-compressed': 'jsonl gzip',
    'lines.txt': 'text',
    object: 'json-or-text',
    'compressed.gz': 'jsonl gzip',
    'compressed.jsonl': 'jsonl gzip',
    'compressed.txt': 'text',
    prose: 'text',
    wide: 'jsonl utf16',
    'wide.jsonl': 'jsonl utf16',
  });
  t.true(Object.values(await told('text')).every((format) => format === 'text' || format === 'text gzip'));
});

test.serial(
  'UTF-16 with its mark is read, in texts and in records, compressed or not, and from standard input',
  async (t) => {
    const text = 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich 中文 😀';
    const records = line('one', text) + line('two', text);
    const top = temporaryFolder(t, {
      'in/plain.txt': text,
      'in/little.txt': utf16(text),
      'in/big.txt': utf16(text, true),
      'in/compressed.txt': gzipSync(utf16(text)),
      'in/records.jsonl': utf16(records, true),
      'in/value.json': utf16(JSON.stringify({ id: 'value', text })),
    });
    const { code, stderr } = await programHere(top, ['run', 'in', '--out', 'out', '--threads', '0']);
    t.is(code, 0, stderr);
    t.deepEqual(
      rowsOf(`${top}/out`, 'duplicates')
        .map(({ document }) => document)
        .sort(),
      ['compressed.txt', 'little.txt', 'one', 'plain.txt', 'two', 'value'],
    );
    t.deepEqual(rowsOf(`${top}/out`, 'skipped'), []);
    const piped = await programHere(top, ['run', '-', '--out', 'piped', '--threads', '0'], utf16(records));
    t.is(piped.code, 0, piped.stderr);
    t.is(rowsOf(`${top}/piped`, 'duplicates').length, 1);
  },
);

test('columns of files have a number for every format, and a word of --input names one', (t) => {
  t.true(FORMATS.length <= FORMAT_BITS + 1);
  for (const word of INPUT_KINDS.slice(1))
    t.true(FORMATS.some(({ name, input }) => name === word && input !== undefined));
});
