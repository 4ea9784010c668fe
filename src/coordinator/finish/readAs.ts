/** What a run read as what, counted over the columns of its documents. */
import { PAGE, PASSED_OVER } from '../../blocks/documents.js';
import type { ReadAs, ReadFormat } from '../../output/manifest.js';
import { type FileKind, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import type { Prepared } from '../start/prepare.js';
import type { Executed } from './facts.js';

/** Documents and files by format; null where documents came from memory. */
export function readAsOf(
  { inputs: { files }, params }: Pick<Prepared, 'inputs' | 'params'>,
  { corpus, outcome }: Pick<Executed, 'corpus' | 'outcome'>,
): ReadAs | null {
  if (files.length === 0) return null;
  const counts = new FormatCounts(files, params.sql === null ? 'stdin' : 'sql');
  if (params.sets !== undefined) counts.sets(corpus.documents);
  else {
    for (const { columns } of corpus.tables) counts.add(columns.file, columns.flags, 1);
    for (let d = 0; d < corpus.documents; d++) {
      if (outcome.withdrawn[d] === 0) continue;
      const { file, flags } = corpus.tables[corpus.blockOf[d]!]!.columns;
      const column = corpus.columnOf[d]!;
      counts.add(file.subarray(column, column + 1), flags.subarray(column, column + 1), -1);
    }
  }
  const passed = PASSED_OVER.map((why, i) => [why, corpus.passedOver[i] ?? 0] as const);
  return {
    formats: counts.rows,
    passed_over: Object.fromEntries(passed.filter(([, records]) => records > 0)),
  };
}

class FormatCounts {
  private readonly documents = new Map<ReadFormat, number>();
  private readonly files = new Map<ReadFormat, number>();
  private readonly table: FileTable;
  /** By file: 1 where it was counted. */
  private readonly seen: Uint8Array;

  /** What is told of a pipe. */
  private readonly piped: ReadFormat;

  constructor(table: FileTable, piped: ReadFormat) {
    this.table = table;
    this.piped = piped;
    this.seen = new Uint8Array(table.length);
  }

  get rows(): ReadAs['formats'] {
    const rows = [...this.documents].map(([format, documents]) => {
      return { format, documents, files: this.files.get(format) ?? 0 };
    });
    return rows
      .filter(({ documents }) => documents > 0)
      .sort((x, y) => orderOf(x.format) - orderOf(y.format));
  }

  sets(documents: number): void {
    this.documents.set('sets', documents);
    this.files.set('sets', this.table.length);
  }

  /** Documents of a column block, which come file by file. */
  add(file: Uint32Array, flags: Uint8Array, by: number): void {
    for (let from = 0; from < file.length; ) {
      const index = file[from]!;
      let pages = 0;
      let to = from;
      for (; to < file.length && file[to] === index; to++) if ((flags[to]! & PAGE) !== 0) pages++;
      this.addFile(index, to - from, pages, by);
      from = to;
    }
  }

  private addFile(index: number, documents: number, pages: number, by: number): void {
    const format = this.formatOf(this.table.kinds[index]!, pages);
    this.documents.set(format, (this.documents.get(format) ?? 0) + by * documents);
    if (this.seen[index] === 1) return;
    this.seen[index] = 1;
    this.files.set(format, (this.files.get(format) ?? 0) + 1);
  }

  private formatOf(kind: FileKind, pages: number): ReadFormat {
    if ((kind & STDIN) !== 0) return this.piped;
    const { holds, name } = formatOfKind(kind);
    if (holds === 'text') return pages > 0 ? 'html' : 'text';
    return name === 'json-or-text' ? 'json' : name;
  }
}

/** Texts and pages first, then records. */
function orderOf(format: ReadFormat): number {
  return format === 'text' ? 0 : format === 'html' ? 1 : 2;
}
