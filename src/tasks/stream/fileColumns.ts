/**
 * The input files as the tasks of engines that sort know them: columns by file, so that a worker holds neither an object nor a
 * string a file. In JSON, all ids are one text.
 */
import { IdIndex, type IdTable } from '../../blocks/ids.js';
import { formatOfKind, hasRows } from '../../readers/list/formats.js';
import { binaryOfBytes, bytesOf, markedFiles } from '../../readers/list/pathIds.js';

/**
 * What the documents of a file are: its lines (or other records), the whole file, or rows, whose values an engine may read from
 * the columns.
 */
export type CorpusForm = 'lines' | 'whole' | 'rows';

function formOfKind(kind: number): CorpusForm {
  const format = formatOfKind(kind);
  if (format.holds === 'text') return 'whole';
  return hasRows(format) ? 'rows' : 'lines';
}

/** By file; null where no document is decided by it. JSON. */
type Decisive = readonly number[] | null;

/** What decides which of several near-duplicates survives, and which groups they are of. JSON. */
export interface FileOrder {
  /** The place of a file in the order of survivors, lower first. */
  readonly tiers: Decisive;
  /** 1: its documents are never dropped. */
  readonly isProtected: Decisive;
  /** When it was modified, in milliseconds. */
  readonly times: Decisive;
  /** The group of its documents. */
  readonly groups: Decisive;
}

const BY_PLACE: FileOrder = { tiers: null, isProtected: null, times: null, groups: null };

interface FileColumns {
  readonly ids: IdTable;
  /** The names by which the engine calls files, as in CorpusRow.file; null: their ids. */
  readonly uris: readonly string[] | null;
  /** The places below which the files lie, with the prefixes of their ids: files of two folders may have the same ids. JSON. */
  readonly roots: readonly (readonly [path: string, prefix: string])[];
  /** Sizes; below 0 where they are unknown. */
  readonly bytes: Float64Array;
  /** Formats and packings (readers/list/formats.ts). */
  readonly kinds: Uint16Array;
  /** Null: documents survive in the order of their places, and have no groups by file. */
  readonly order: FileOrder | null;
}

/** A file by itself. */
export interface StreamedFile {
  readonly uri: string;
  /** A binary string: one character a byte. */
  readonly id: string;
  readonly bytes: number;
  readonly form: CorpusForm;
}

/** Files by number, in input order. */
export class StreamedFiles {
  readonly ids: IdTable;
  readonly kinds: Uint16Array;
  readonly order: FileOrder;
  private readonly columns: FileColumns;
  private index: IdIndex | null = null;
  private marks: Uint8Array | null | undefined;
  private numbers: ReadonlyMap<string, number> | null = null;

  constructor(columns: FileColumns) {
    this.columns = columns;
    this.ids = columns.ids;
    this.kinds = columns.kinds;
    this.order = columns.order ?? BY_PLACE;
  }

  /** The files that `toJSON` gave. @throws TypeError for anything else */
  static from({ ids, idEnds, uris, roots, bytes, kinds, order }: StreamedJson): StreamedFiles {
    const offsets = new Uint32Array(idEnds.length + 1);
    offsets.set(idEnds, 1);
    const table = { offsets, bytes: new Uint8Array(bytesOf(ids)) };
    const numbers = { bytes: Float64Array.from(bytes), kinds: Uint16Array.from(kinds) };
    return new StreamedFiles({ ids: table, uris, roots, ...numbers, order });
  }

  toJSON() {
    const { ids, uris, roots, bytes, kinds, order } = this.columns;
    const idEnds = Array.from(ids.offsets.subarray(1));
    const numbers = { bytes: Array.from(bytes), kinds: Array.from(kinds) };
    return { ids: binaryOfBytes(ids.bytes), idEnds, uris, roots, ...numbers, order };
  }

  get length(): number {
    return this.kinds.length;
  }

  /** Bytes of the files whose sizes are known. */
  get totalBytes(): number {
    return this.columns.bytes.reduce((sum, bytes) => sum + Math.max(0, bytes), 0);
  }

  bytesOf(file: number): number {
    return this.columns.bytes[file]!;
  }

  /** The id as a binary string. */
  id(file: number): string {
    return binaryOfBytes(this.idBytes(file));
  }

  idBytes(file: number): Uint8Array {
    const { bytes, offsets } = this.ids;
    return bytes.subarray(offsets[file]!, offsets[file + 1]!);
  }

  uri(file: number): string {
    return this.columns.uris === null ? this.id(file) : this.columns.uris[file]!;
  }

  formOf(file: number): CorpusForm {
    return formOfKind(this.kinds[file]!);
  }

  /** The files one by one: for engines of clusters, which name each to others. */
  each(): StreamedFile[] {
    return Array.from(this.kinds, (_, file) => {
      return { uri: this.uri(file), id: this.id(file), bytes: this.bytesOf(file), form: this.formOf(file) };
    });
  }

  /** The number of the file that the engine calls `uri`; -1: none has that name. */
  numberOf(uri: string): number {
    const { uris } = this.columns;
    if (uris === null) return this.find(bytesOf(uri));
    this.numbers ??= new Map(uris.map((name, file) => [name, file]));
    return this.numbers.get(uri) ?? -1;
  }

  /** The number of the file with the id `name[from .. to)`; -1: there is none. */
  find(name: Uint8Array, from = 0, to = name.length): number {
    this.index ??= IdIndex.of(this.ids);
    return this.index.find(name, from, to);
  }

  /** Whether places of the file are marked as whole files (see pathIds.ts). */
  isMarked(file: number): boolean {
    if (this.marks === undefined) {
      this.marks = markedFiles(
        this.ids,
        (id) => this.find(id),
        (other) => this.formOf(other) === 'whole',
      );
    }
    return this.marks?.[file] === 1;
  }
}

type StreamedJson = Readonly<ReturnType<StreamedFiles['toJSON']>>;
