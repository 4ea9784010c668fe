/** The formats that documents were read as, counted over their columns. */
import { AS_TEXT, HAS_ID, PAGE, REASONS_LEFT_OUT, WHOLE_FILE } from '../../blocks/documents.js';
import type { ReadAs, ReadFormat } from '../../output/manifest.js';
import { MOST_SHOWN } from '../../readers/ahead/columns.js';
import { firstRecordsOfText } from '../../readers/ahead/tablesAmongTexts.js';
import type { ReadParams } from '../../readers/documentSink.js';
import { type FileKind, PLAIN_TEXT, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import type { ColumnTable } from '../sketch/corpus.js';
import { beginsDocument } from '../sketch/places.js';
import type { Prepared } from '../start/prepare.js';
import type { Executed } from './makeFacts.js';

/** Documents and files by format; null where documents came from memory. */
export function readAsOf(
  { inputs: { files }, params }: Pick<Prepared, 'inputs' | 'params'>,
  { corpus, outcome }: Pick<Executed, 'corpus' | 'outcome'>,
): ReadAs | null {
  if (files.length === 0) return null;
  const counts = new FormatCounts(files, params.sql === null ? 'stdin' : 'sql');
  if (params.sets !== undefined) counts.sets(corpus.documents);
  else {
    for (const { columns } of corpus.tables) counts.add(columns, 0, columns.file.length, 1);
    for (let d = 0; d < corpus.documents; d++) {
      // A withdrawn unit does not take away its document.
      if (outcome.withdrawn[d] === 0 || params.unit !== 'document') continue;
      const column = corpus.columnOf[d]!;
      counts.add(corpus.tables[corpus.blockOf[d]!]!.columns, column, column + 1, -1);
    }
  }
  const unnamed = params.sql === null ? 0 : unnamedOf(corpus.tables);
  return {
    formats: counts.rows,
    ...asTextTold(files, counts.asText, params),
    ...(unnamed > 0 && { unnamed }),
    passed_over: leftOutTold(corpus.leftOutRecords),
  };
}

function unnamedOf(tables: readonly ColumnTable[]): number {
  let unnamed = 0;
  for (const { columns } of tables) for (const flags of columns.flags) if ((flags & HAS_ID) === 0) unnamed++;
  return unnamed;
}

/** The same where only the number of documents of each file is known: none of them is a page. */
export function readAsOfCounts(
  files: FileTable,
  documents: Uint32Array,
  leftOutRecords: readonly number[],
  params: ReadParams,
): ReadAs {
  const counts = new FormatCounts(files, 'stdin');
  for (let file = 0; file < documents.length; file++) counts.addFile(file, documents[file]!);
  return {
    formats: counts.rows,
    ...asTextTold(files, counts.asText, params),
    passed_over: leftOutTold(leftOutRecords),
  };
}

/** The number of files that are looked at. */
const MOST_LOOKED_AT = 100;

function asTextTold(
  files: FileTable,
  indexes: readonly number[],
  params: ReadParams,
): Pick<ReadAs, 'as_text'> {
  for (const index of indexes) {
    const fields = firstRecordsOfText(files, index, params).fields.slice(0, MOST_SHOWN);
    if (fields.length > 0) return { as_text: { place: textOf(files.id(index)), fields } };
  }
  return {};
}

function leftOutTold(leftOutRecords: readonly number[]): ReadAs['passed_over'] {
  const passed = REASONS_LEFT_OUT.map((why, i) => [why, leftOutRecords[i] ?? 0] as const);
  return Object.fromEntries(passed.filter(([, records]) => records > 0));
}

/** Kinds of files are numbers of so many bits (fileList.ts). */
const KINDS = 1 << 10;

class FormatCounts {
  private readonly table: FileTable;
  /** The format of documents from a pipe. */
  private readonly piped: ReadFormat;
  /** By kind of file, pages apart: numbers alone, because a corpus has a file for nearly every document. */
  private readonly documents = new Float64Array(2 * KINDS);
  private readonly files = new Float64Array(2 * KINDS);
  /** By file: 1 where it was counted. */
  private readonly seen: Uint8Array;
  private countedSets = 0;
  /** The first files of records that are compared as texts. */
  readonly asText: number[] = [];

  constructor(table: FileTable, piped: ReadFormat) {
    this.table = table;
    this.piped = piped;
    this.seen = new Uint8Array(table.length);
  }

  get rows(): ReadAs['formats'] {
    const rows = new Map<ReadFormat, { documents: number; files: number; pages?: number }>();
    const add = (format: ReadFormat, documents: number, files: number, inRecords = false): void => {
      const row = rows.get(format) ?? { documents: 0, files: 0 };
      const pages = (row.pages ?? 0) + (inRecords ? documents : 0);
      const sums = { documents: row.documents + documents, files: row.files + files };
      rows.set(format, { ...sums, ...(pages > 0 && { pages }) });
    };
    for (let i = 0; i < this.documents.length; i++) {
      if (this.documents[i] === 0) continue;
      const isPage = (i & 1) === 1;
      const format = this.formatOf(i >> 1, isPage);
      add(format, this.documents[i]!, this.files[i]!, isPage && format !== 'html' && this.holdsPages(i >> 1));
    }
    if (this.countedSets > 0) add('sets', this.countedSets, this.table.length);
    return [...rows]
      .map(([format, row]) => ({ format, ...row }))
      .filter(({ documents }) => documents > 0)
      .sort((x, y) => orderOf(x.format) - orderOf(y.format));
  }

  sets(documents: number): void {
    this.countedSets = documents;
  }

  /** Adds all documents of a file. */
  addFile(file: number, documents: number): void {
    if (documents === 0) return;
    const kind = this.table.kinds[file]!;
    const place = 2 * kind;
    if (formatOfKind(kind).name === 'records-as-text') this.addText(file);
    this.documents[place]! += documents;
    this.files[place]!++;
  }

  /** Adds documents of a column block, which come file by file; units count as their document. */
  add({ file, record, unit, flags }: ColumnTable['columns'], from: number, to: number, by: number): void {
    const { kinds } = this.table;
    for (let d = from; d < to; d++) {
      const index = file[d]!;
      const goesOn = record[d] === WHOLE_FILE && this.seen[index] === 1;
      if (unit !== null && (goesOn || !beginsDocument(file, record, d))) continue;
      const isText = (flags[d]! & AS_TEXT) !== 0;
      const kind = isText ? PLAIN_TEXT : kinds[index]!;
      const place = 2 * kind + ((flags[d]! & PAGE) !== 0 ? 1 : 0);
      this.documents[place]! += by;
      if (this.seen[index] === 1) continue;
      this.seen[index] = 1;
      this.files[place]!++;
      if (isText) this.addText(index);
    }
  }

  private addText(file: number): void {
    if (this.asText.length < MOST_LOOKED_AT) this.asText.push(file);
  }

  /** Whether a page there is a part of a record: otherwise it is a document of its own. */
  private holdsPages(kind: FileKind): boolean {
    return (kind & STDIN) !== 0 || formatOfKind(kind).holds !== 'texts';
  }

  private formatOf(kind: FileKind, isPage: boolean): ReadFormat {
    if ((kind & STDIN) !== 0) return this.piped;
    const { holds, name } = formatOfKind(kind);
    // A file with the name of a page that is read as it stands is a text.
    if (isPage && holds === 'text') return 'html';
    if (name === 'html' || name === 'records-as-text') return 'text';
    return name === 'json-or-text' ? 'json' : name;
  }
}

/** Texts and pages first, then records. */
function orderOf(format: ReadFormat): number {
  return format === 'text' ? 0 : format === 'html' ? 1 : 2;
}
