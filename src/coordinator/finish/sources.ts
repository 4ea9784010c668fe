/** Amounts of documents by source. A source is a group of input files. */

import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import type { Amount, ReportedNumbers, SourceNumbers } from '../../result/facts.js';

const SLASH = 0x2f;

/** At most this many sources have a row of their own. */
const MOST_SOURCES = 100;

/** The name of the source of files in a folder that are a document each. */
const FILES_OF_FOLDER = '.';

/** The number of documents of each file, from the facts of all batches. */
export function documentsByFile(
  files: number,
  batches: readonly { readonly file: Uint32Array }[],
): Uint32Array {
  const documents = new Uint32Array(files);
  for (const { file } of batches) {
    for (let i = 0; i < file.length; i++) documents[file[i]!]!++;
  }
  return documents;
}

/**
 * The sources of a run, in the order of their first files.
 *
 * Each of several PATHs is a source, named by the prefix of its locations. Below a single folder the first part of the
 * location is the source: a subfolder, or a file with several records. Files with one document each together are the
 * source `.`. A single file, standard input or a query is one source.
 */
export class FileSources {
  /** By file: the number of its source. */
  readonly ofFile: Uint32Array;
  private readonly files: FileTable;
  /** By source: its first file. */
  private readonly firstFile: number[] = [];
  /** The source of files that are a document each; -1 before the first. */
  private single = -1;

  /** @param documents by file: to see which have several documents; its memory is reused for `ofFile` */
  constructor(files: FileTable, documents: Uint32Array) {
    this.files = files;
    // The count of each file is replaced by its source.
    this.ofFile = documents;
    const ofRoot = new Map<number, number>();
    for (let file = 0; file < files.length; file++) {
      const root = files.root[file]!;
      if (files.roots[root]!.prefix === '') {
        const part = this.firstPart(file);
        // Files below a PATH are ordered by path, so those of a folder are contiguous.
        if (part > 0 && this.beginsAsBefore(file, part)) this.ofFile[file] = this.ofFile[file - 1]!;
        else this.ofFile[file] = part > 0 ? this.begin(file) : this.atTop(file);
      } else {
        if (!ofRoot.has(root)) ofRoot.set(root, this.begin(file));
        this.ofFile[file] = ofRoot.get(root)!;
      }
    }
  }

  get length(): number {
    return this.firstFile.length;
  }

  name(source: number): string {
    if (source === this.single) return FILES_OF_FOLDER;
    const first = this.firstFile[source]!;
    const { prefix } = this.files.roots[this.files.root[first]!]!;
    if (prefix !== '') return textOf(prefix.replace(/\/$/, ''));
    const id = this.files.id(first);
    const end = id.indexOf('/');
    return textOf(end < 0 ? id : id.slice(0, end));
  }

  private begin(file: number): number {
    return this.firstFile.push(file) - 1;
  }

  /** The source of a file directly in the folder. */
  private atTop(file: number): number {
    const isOne = this.ofFile[file]! < 2 || formatOfKind(this.files.kinds[file]!).holds === 'text';
    if (!isOne) return this.begin(file);
    if (this.single < 0) this.single = this.begin(file);
    return this.single;
  }

  /** Bytes of the first part of an id, with its slash; 0 if it has only one part. */
  private firstPart(file: number): number {
    const { bytes, offsets } = this.files.ids;
    return bytes.subarray(offsets[file], offsets[file + 1]).indexOf(SLASH) + 1;
  }

  /** Whether the id of the previous file begins with the same `part` bytes. */
  private beginsAsBefore(file: number, part: number): boolean {
    if (file === 0) return false;
    const { bytes, offsets } = this.files.ids;
    const [from, before] = [offsets[file]!, offsets[file - 1]!];
    for (let i = part - 1; i >= 0; i--) if (bytes[before + i] !== bytes[from + i]) return false;
    return true;
  }
}

/** Amounts by row, in columns. */
export class AmountTable {
  readonly documents: Float64Array;
  private readonly bytes: Float64Array;
  private readonly tokens: Float64Array;
  /** Sets have no text. */
  private readonly hasBytes: boolean;

  constructor(rows: number, hasBytes: boolean) {
    this.documents = new Float64Array(rows);
    this.bytes = new Float64Array(rows);
    this.tokens = new Float64Array(rows);
    this.hasBytes = hasBytes;
  }

  add(
    row: number,
    { textBytes, tokens }: { readonly textBytes: number; readonly tokens: number },
    documents = 1,
  ): void {
    this.documents[row]! += documents;
    this.bytes[row]! += textBytes;
    this.tokens[row]! += tokens;
  }

  of(row: number): Amount {
    const bytes = this.hasBytes ? { bytes: this.bytes[row]! } : {};
    return { documents: this.documents[row]!, ...bytes, tokens: this.tokens[row]! };
  }

  sum(isWanted: (row: number) => boolean = () => true): Amount {
    const sum = new AmountTable(1, this.hasBytes);
    for (let row = 0; row < this.documents.length; row++) {
      const amount = { textBytes: this.bytes[row]!, tokens: this.tokens[row]! };
      if (isWanted(row)) sum.add(0, amount, this.documents[row]!);
    }
    return sum.of(0);
  }
}

/** The sources with the most dropped documents, then all others as one row. */
export function sourceRows(
  kept: AmountTable,
  dropped: AmountTable,
  sources: FileSources,
): Pick<ReportedNumbers, 'sources' | 'other_sources'> {
  const hasAny = (row: number): boolean => kept.documents[row]! + dropped.documents[row]! > 0;
  const shownRows: number[] = [];
  let nonEmpty = 0;
  for (let row = 0; row < sources.length; row++) {
    if (!hasAny(row)) continue;
    nonEmpty++;
    const count = dropped.documents[row]!;
    // The earlier of equal ones stays first.
    let at = shownRows.length;
    while (at > 0 && dropped.documents[shownRows[at - 1]!]! < count) at--;
    if (at === MOST_SOURCES) continue;
    shownRows.splice(at, 0, row);
    if (shownRows.length > MOST_SOURCES) shownRows.pop();
  }
  const rows: SourceNumbers[] = shownRows.map((row) => {
    return { source: sources.name(row), kept: kept.of(row), dropped: dropped.of(row) };
  });
  const others = nonEmpty - shownRows.length;
  if (others === 0) return { sources: rows, other_sources: 0 };
  const isShown = new Set(shownRows);
  const isOther = (row: number): boolean => !isShown.has(row);
  const rest = { source: null, kept: kept.sum(isOther), dropped: dropped.sum(isOther) };
  return { sources: [...rows, rest], other_sources: others };
}
