/** Every format with every command that reads, as the table of docs/input.md tells it: it works, or is refused by name. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { rowsOf } from '../coordinator/runs/resultFiles.js';
import { packedBy } from '../data/packedBy.js';
import { sharedFolder } from '../data/temporaryFolder.js';
import { programHere } from './programHere.js';

const words = (first: number): string => Array.from({ length: 60 }, (_, i) => `word${first + i}`).join(' ');
/** Two near copies, and a text like none. */
const TEXTS = { a: words(0), b: `${words(0)} more`, c: words(500) } as const;
const RECORDS = Object.entries(TEXTS).map(([id, text]) => ({ id, text }));
const LINES = RECORDS.map((record) => `${JSON.stringify(record)}\n`).join('');
const page = (text: string): string => `<!doctype html><html><body><p>${text}</p></body></html>`;
const archived = ({ id, text }: (typeof RECORDS)[number]): string => {
  const block = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${page(text)}`;
  return `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${id}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`;
};
const mailed = ({ id, text }: (typeof RECORDS)[number]): string =>
  `From x@example.org Thu Jan  1 00:00:00 2026\nMessage-ID: <${id}>\nContent-Type: text/plain\n\n${text}\n\n`;
const table = (separator: string): string =>
  ['id', 'text'].join(separator) +
  '\n' +
  RECORDS.map(({ id, text }) => `${id}${separator}${text}\n`).join('');
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const files = (ending: string, content: (text: string) => string | Buffer) =>
  Object.fromEntries(RECORDS.map(({ id, text }) => [`${id}${ending}`, content(text)]));
const parquet = (): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      columnData: (['id', 'text'] as const).map((name) => ({
        name,
        data: RECORDS.map((record) => record[name]),
        type: 'STRING' as const,
      })),
    }),
  );

/** By the name that the page gives each: what a folder holds. */
const FORMATS: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  'texts (`.txt`, any name)': files('.txt', (text) => text),
  'pages (`.html`)': files('.html', page),
  'JSON lines (`.jsonl`)': { 'in.jsonl': LINES },
  'an array of JSON (`.json`)': { 'in.json': JSON.stringify(RECORDS) },
  'an object of JSON a file (`.json`)': Object.fromEntries(
    RECORDS.map((record) => [`${record.id}.json`, JSON.stringify(record)]),
  ),
  'CSV (`.csv`)': { 'in.csv': table(',') },
  'TSV (`.tsv`)': { 'in.tsv': table('\t') },
  'Parquet (`.parquet`)': { 'in.parquet': parquet() },
  'crawls (`.warc`)': { 'in.warc': RECORDS.map(archived).join('') },
  'texts in gzip (`.txt.gz`)': files('.txt.gz', (text) => gzipSync(text)),
  'JSON lines in gzip (`.jsonl.gz`)': { 'in.jsonl.gz': gzipSync(LINES) },
  'JSON lines in zstd (`.jsonl.zst`)': { 'in.jsonl.zst': packedBy('zstd', LINES) },
  'JSON lines in bzip2 (`.jsonl.bz2`)': { 'in.jsonl.bz2': packedBy('bzip2', LINES) },
  'JSON lines in xz (`.jsonl.xz`)': { 'in.jsonl.xz': packedBy('xz', LINES) },
  'CSV in gzip (`.csv.gz`)': { 'in.csv.gz': gzipSync(table(',')) },
  'crawls in gzip (`.warc.gz`)': {
    'in.warc.gz': Buffer.concat(RECORDS.map((one) => gzipSync(archived(one)))),
  },
  'mail (`.mbox`)': { 'in.mbox': RECORDS.map(mailed).join('') },
  'texts in UTF-16': files('.txt', utf16),
  'JSON lines in UTF-16': { 'in.jsonl': utf16(LINES) },
};

const TOP = sharedFolder(
  Object.fromEntries([
    ['new.jsonl', `{"id":"new","text":"${TEXTS.a}"}\n`],
    ['base.txt', TEXTS.a],
    ...Object.values(FORMATS).flatMap((content, i) =>
      Object.entries(content).map(([name, bytes]) => [`in${i}/${name}`, bytes] as const),
    ),
  ]),
);

/** `yes`; `refused`, with a message that names the file, the form or the option; else what went wrong. */
type Cell = string;
const COMMANDS = ['run', 'apply', 'query', 'filter', 'compare', 'inspect', '--against'] as const;

const say = (argv: readonly string[], input: string | Buffer = '') => programHere(TOP, argv, input);
const READ = ['--text-field', 'text', '--threads', '0'] as const;

async function cellsOf(i: number, content: Readonly<Record<string, string | Buffer>>): Promise<Cell[]> {
  const cell = (
    { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
    works: (said: string) => boolean,
  ): Cell => {
    if (code === 0) return works(stdout) ? 'yes' : `0: ${stdout.slice(0, 300)}`;
    return code > 0 && code < 3 && stderr.startsWith('error: ') && !/defect/.test(stderr)
      ? 'refused'
      : `${code}: ${stderr}`;
  };
  const names = Object.keys(content);
  const isText = names.length > 1 && !names[0]!.endsWith('.json');
  const isMail = names[0]!.endsWith('.mbox');
  const hasFields = !isText && !isMail && !names[0]!.includes('.warc');
  const id = (one: 'a' | 'b'): string => (isText ? names.find((name) => name.startsWith(one))! : one);
  const reading = hasFields ? READ : ['--threads', '0'];
  const fields = hasFields ? ['--text-field', 'text'] : [];
  const ran = await say(['run', `in${i}`, '--out', `out${i}`, ...reading]);
  const run = cell(ran, () => rowsOf(`${TOP}/out${i}`, 'duplicates').length === 1);
  const applied = await say(['apply', `out${i}`, '--to', `clean${i}`]);
  let apply = cell(applied, () => true);
  if (apply === 'yes') {
    const again = await say(['run', `clean${i}`, '--out', `again${i}`, ...reading]);
    apply = cell(again, (said) => said.startsWith('0 of 2 documents can be dropped'));
  }
  const answers = await say(['query', 'base.txt', `in${i}`, '--top', '1', ...reading]);
  const query = cell(answers, (said) => said.includes('\t1.000000\t'));
  const piped = await say(['filter', ...fields], content[names[0]!]!);
  const filter = cell(piped, (said) => said.trim().split('\n').length === (names.length > 1 ? 1 : 2));
  const pairOf = [id('a'), id('b')] as const;
  const compared = await say(['compare', ...pairOf, '--in', `in${i}`, ...fields]);
  const compare = cell(compared, (said) => /0\.98/.test(said));
  const shown = await say(['inspect', `out${i}`, '--pair', ...pairOf]);
  const inspect = cell(shown, (said) => said.includes('more'));
  const held = await say(['run', 'new.jsonl', '--against', `in${i}`, '--out', `new${i}`, ...READ]);
  const against = cell(held, () => rowsOf(`${TOP}/new${i}`, 'duplicates').length === 1);
  return [run, apply, query, filter, compare, inspect, against];
}

test.serial('the table of formats and commands is true, cell by cell', async (t) => {
  const rows = [
    `| | ${COMMANDS.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${COMMANDS.map(() => '---|').join('')}`,
  ];
  for (const [i, [name, content]] of Object.entries(FORMATS).entries()) {
    rows.push(`| ${name} | ${(await cellsOf(i, content)).join(' | ')} |`);
  }
  const docs = readFileSync(new URL('../../../docs/input.md', import.meta.url), 'utf8');
  t.true(docs.includes(rows.join('\n')), `docs/input.md should have\n${rows.join('\n')}`);
});
