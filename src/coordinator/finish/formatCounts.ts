/** The formats as which documents were read, counted per document. */
import { AS_TEXT, PAGE, REASONS_LEFT_OUT } from '../../blocks/documents.js';
import { type FileKind, PLAIN_TEXT, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import type { ReadAs, ReadFormat } from '../../result/manifest.js';

function leftOutCounts(leftOutRecords: readonly number[]): ReadAs['passed_over'] {
  const passed = REASONS_LEFT_OUT.map((why, i) => [why, leftOutRecords[i] ?? 0] as const);
  return Object.fromEntries(passed.filter(([, records]) => records > 0));
}

/** Kinds of files are numbers of this many values (fileList.ts). */
const KINDS = 1 << 10;

/** Counts documents. Documents of a file must be added in the order of their locations. */
export class FormatCounts {
  private readonly table: FileTable;
  /** By kind of file, HTML pages separately. Only numbers, because a corpus has nearly as many files as documents. */
  private readonly counts = new Float64Array(2 * KINDS);
  private readonly files = new Float64Array(2 * KINDS);
  /** By file: 1 if it was counted. */
  private readonly seen: Uint8Array;
  private countedSets = 0;

  constructor(table: FileTable) {
    this.table = table;
    this.seen = new Uint8Array(table.length);
  }

  /** The counts by format, and records that were left out, by REASONS_LEFT_OUT. */
  asReported(leftOutRecords: readonly number[]): ReadAs {
    return { formats: this.rows, passed_over: leftOutCounts(leftOutRecords) };
  }

  private get rows(): ReadAs['formats'] {
    const rows = new Map<ReadFormat, { documents: number; files: number; pages?: number }>();
    const add = (format: ReadFormat, documents: number, files: number, inRecords = false): void => {
      const row = rows.get(format) ?? { documents: 0, files: 0 };
      const pages = (row.pages ?? 0) + (inRecords ? documents : 0);
      const sums = { documents: row.documents + documents, files: row.files + files };
      rows.set(format, { ...sums, ...(pages > 0 && { pages }) });
    };
    for (let i = 0; i < this.counts.length; i++) {
      if (this.counts[i] === 0) continue;
      const isPage = (i & 1) === 1;
      const format = this.formatOf(i >> 1, isPage);
      add(format, this.counts[i]!, this.files[i]!, isPage && format !== 'html' && this.holdsPages(i >> 1));
    }
    if (this.countedSets > 0) add('sets', this.countedSets, this.table.length);
    return [...rows]
      .map(([format, row]) => ({ format, ...row }))
      .sort((x, y) => orderOf(x.format) - orderOf(y.format));
  }

  sets(documents: number): void {
    this.countedSets = documents;
  }

  /** Adds documents of a file with the same flags. */
  documents(file: number, flags: number, count = 1): void {
    const isText = (flags & AS_TEXT) !== 0;
    const kind = isText ? PLAIN_TEXT : this.table.kinds[file]!;
    const slot = 2 * kind + ((flags & PAGE) !== 0 ? 1 : 0);
    this.counts[slot]! += count;
    if (this.seen[file] === 1) return;
    this.seen[file] = 1;
    this.files[slot]!++;
  }

  /** Whether an HTML page there is a field of a record. Otherwise it is a document of its own. */
  private holdsPages(kind: FileKind): boolean {
    return (kind & STDIN) !== 0 || formatOfKind(kind).holds !== 'texts';
  }

  private formatOf(kind: FileKind, isPage: boolean): ReadFormat {
    if ((kind & STDIN) !== 0) return 'stdin';
    const { holds, name } = formatOfKind(kind);
    // A file with the name of an HTML page that is read without conversion is a text.
    if (isPage && holds === 'text') return 'html';
    if (name === 'html' || name === 'records-as-text') return 'text';
    return name === 'json-or-text' ? 'json' : name;
  }
}

/** Texts and HTML pages first, then records. */
function orderOf(format: ReadFormat): number {
  return format === 'text' ? 0 : format === 'html' ? 1 : 2;
}
