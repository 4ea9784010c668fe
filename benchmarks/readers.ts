/**
 * How many MB per second of processor time does a thread read of each format, and how much memory does a run take on
 * large files?
 *
 *      node dist/benchmarks/readers.js [--records 100000] [--runs 3] [--large PATH]... [--out FOLDER]
 *
 * Readers read one corpus in all formats in this thread, without sketches, formats in turn; medians. A time is printed
 * only if a format gave the ids and texts of the JSON lines; HTML pages and WARC, whose texts have markup, must give
 * the same words. `--large` (may be repeated) runs the built command with `--memory 256MB` over a file or folder, and
 * prints its peak.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DocumentSink } from '../src/blocks/documents.js';
import { createWasmKernel } from '../src/kernel/wasm.js';
import { streamChunks } from '../src/readers/bytes/chunks.js';
import type { ReadParams } from '../src/readers/documentSink.js';
import { fileListBlock } from '../src/readers/list/fileList.js';
import { fileListOf } from '../src/readers/list/fileTable.js';
import { type InputParams, listInputs } from '../src/readers/list/inputs.js';
import { planPieces } from '../src/readers/pieces.js';
import { SplitReader } from '../src/readers/reader.js';
import { chunkSplit, elementSplits, linesBlock } from '../src/readers/split.js';
import { loadKernelModule } from '../src/tasks/kernelModule.js';
import { type CorpusRecord, corpusRecords, writeForms } from '../test/forms/forms.js';
import { countOf } from './measure/plainErrors.js';
import { runProduct } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';
import { median } from './measure/turns.js';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '3' },
    large: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
});
const where = environment();
const runs = countOf('--runs', values.runs);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const PARAMS: ReadParams & InputParams = {
  input: 'auto',
  textField: 'text',
  idField: 'id',
  textFieldGiven: false,
  encoding: 'utf-8',
  textFormat: 'auto',
  separator: null,
  // Texts of several lines are quoted in TSV too.
  quote: '"',
  include: [],
  exclude: [],
  maxDocument: 1e9,
  shingle: { unit: 'words' },
};
const kernel = createWasmKernel(await loadKernelModule());

/** Hashes ids and texts; `words`: only the words of the texts. */
class Digest implements DocumentSink {
  readonly hash = createHash('sha256');
  documents = 0;
  bytes = 0;
  problems = 0;
  private readonly isKept: boolean;
  readonly texts: string[] = [];

  constructor(isKept: boolean) {
    this.isKept = isKept;
  }

  begin(_file: number, _record: number, id: Uint8Array | null): boolean {
    this.documents++;
    if (this.isKept && id !== null) this.hash.update(id);
    return true;
  }

  text(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (!this.isKept) return;
    this.hash.update(bytes);
    this.texts.push(Buffer.from(bytes).toString());
  }

  end(): void {}

  whole(file: number, index: number, id: Uint8Array | null, text: Uint8Array): void {
    this.begin(file, index, id);
    this.text(text);
  }

  skip(): void {
    this.problems++;
  }

  /** The words of all texts, in order. */
  get words(): string {
    return createHash('sha256').update(this.texts.join(' ').split(/\s+/u).join(' ').trim()).digest('hex');
  }
}

/** Reads all inputs of a path like the tasks of a run, one after the other. */
async function readAll(path: string, sink: Digest): Promise<void> {
  const params = PARAMS;
  const inputs = await listInputs({ paths: [path], outFolder: null, params: PARAMS });
  const reader = new SplitReader(kernel);
  const whole = (files: Uint32Array): number =>
    reader.read({ kind: 'files' }, fileListBlock(fileListOf(inputs.files, files)), params, sink);
  for (const piece of planPieces(inputs, params)) {
    if (piece.kind === 'files') whole(piece.files);
    else if (piece.kind === 'range') reader.read(piece, null, params, sink);
    else if (piece.kind === 'array') {
      const splits = [...elementSplits(piece, reader.cuts(piece, params))];
      if (splits.length === 0) whole(Uint32Array.of(piece.index));
      for (const split of splits) reader.read(split, null, params, sink);
    } else {
      for await (const chunk of streamChunks(piece.file, params)) {
        if ('problem' in chunk) throw new Error(`${path}: ${chunk.problem}`);
        const split = chunkSplit(piece.file, piece.index, chunk);
        reader.read(split, linesBlock(chunk.bytes, false), params, sink);
      }
    }
  }
  if (sink.problems > 0) throw new Error(`${path}: ${sink.problems} records were skipped`);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The markup around the texts is that of documentation pages. */
const PAGE_RECORDS = 40;

function pageOf(records: readonly CorpusRecord[]): string {
  const items = records.map(
    ({ id, text }) =>
      `<li class="entry item-${id}"><a href="https://example.org/entries/${id}.html" title="entry"></a><p>${escaped(text)}</p>\n`,
  );
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><style>.entry { margin: 1em }</style></head>
<body><script>document.title = "<p>no text</p>";</script><!-- comment --><ul>\n${items.join('')}</ul></body></html>\n`;
}

function warcRecord(page: string, number: number): string {
  const body = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${page}`;
  return [
    'WARC/1.0',
    'WARC-Type: response',
    `WARC-Target-URI: https://example.org/${number}`,
    `WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-${String(number).padStart(12, '0')}>`,
    'WARC-Date: 2026-01-01T00:00:00Z',
    'Content-Type: application/http; msgtype=response',
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}\r\n\r\n`,
  ].join('\r\n');
}

interface MeasuredForm {
  readonly name: string;
  readonly path: string;
  /** Its documents are records with HTML pages. */
  readonly isMarkedUp: boolean;
  readonly seconds: number[];
  bytes: number;
}

function writePages(records: readonly CorpusRecord[]): MeasuredForm[] {
  const pages = Array.from({ length: Math.ceil(records.length / PAGE_RECORDS) }, (_, i) =>
    pageOf(records.slice(i * PAGE_RECORDS, (i + 1) * PAGE_RECORDS)),
  );
  const html = join(folder, 'html');
  mkdirSync(html);
  pages.forEach((page, i) => {
    writeFileSync(join(html, `${String(i).padStart(8, '0')}.html`), page);
  });
  const warc = join(folder, 'c.warc');
  writeFileSync(warc, pages.map(warcRecord).join(''));
  return [
    { name: 'HTML', path: html, isMarkedUp: true, seconds: [], bytes: 0 },
    { name: 'WARC of HTML', path: warc, isMarkedUp: true, seconds: [], bytes: 0 },
  ];
}

const sizeOf = (path: string): number => {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
};

const records = corpusRecords(countOf('--records', values.records));
const written = await writeForms(join(folder, 'forms'), records);
const forms: MeasuredForm[] = [
  ...written.flatMap(({ name, args: [path], missing }) =>
    missing === null ? [{ name, path: path!, isMarkedUp: false, seconds: [], bytes: 0 }] : [],
  ),
  ...writePages(records),
];

const [first] = forms;
const expected = new Digest(true);
await readAll(first!.path, expected);
const digest = expected.hash.digest('hex');
for (const form of forms) {
  const found = new Digest(true);
  await readAll(form.path, found);
  const same = form.isMarkedUp
    ? found.words === expected.words
    : form === first || found.hash.digest('hex') === digest;
  if (!same) throw new Error(`${form.name} gives texts that differ from ${first!.name}`);
}
for (let round = 0; round < runs; round++) {
  for (const form of forms) {
    const sink = new Digest(false);
    const before = process.cpuUsage();
    await readAll(form.path, sink);
    const { user, system } = process.cpuUsage(before);
    form.seconds.push((user + system) / 1e6);
    form.bytes = sink.bytes;
  }
}
const base = median(first!.seconds);
const rows = forms.map(({ name, path, seconds, bytes }): Row => {
  const cpu = median(seconds);
  const size = sizeOf(path) / 1e6;
  return [
    name,
    size.toFixed(1),
    (bytes / 1e6).toFixed(1),
    cpu.toFixed(2),
    Math.round(size / cpu),
    Math.round(bytes / 1e6 / cpu),
    (cpu / base).toFixed(1),
  ];
});
const heads = ['form', 'MB of file', 'MB of text', 'CPU s', 'MB of file/s', 'MB of text/s', 'to JSON lines'];
record('readers', 'how fast is each form read?', where, { heads, rows }, forms, values.out);

const largeRows: Row[] = [];
for (const path of values.large) {
  const { wall, cpu, peakBytes, counts } = await runProduct([path, '--memory', '256MB', '--verify', 'none']);
  const peak = Math.round(peakBytes / 1e6);
  largeRows.push([
    path.slice(path.lastIndexOf('/') + 1),
    Math.round(sizeOf(path) / 1e6),
    String(counts.read),
    wall.toFixed(1),
    cpu.toFixed(1),
    peak,
  ]);
}
if (largeRows.length > 0) {
  const question = 'how much memory does a run take on large files with --memory 256MB?';
  const table = { heads: ['input', 'MB', 'documents', 'wall s', 'CPU s', 'peak MB'], rows: largeRows };
  record('readersMemory', question, where, table, largeRows, values.out);
}
