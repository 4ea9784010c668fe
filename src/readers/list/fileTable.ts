/**
 * The input files as columns: no object and no string per file.
 *
 *      ids      bytes and offsets, in the order of the files
 *      root     u32    the root of the file
 *      kinds    u16    format and flags (formats.ts)
 *      sizes    f64    bytes; UNKNOWN if it was not looked up
 *      times    f64    modification, milliseconds since 1970 to 1/4096; GONE if it could not be looked up; UNKNOWN
 *
 * A path is not stored: it is the path of the root, and the part of the id after the root's prefix.
 */
import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import type { OpenedColumns } from '../../blocks/documents.js';
import { IdIndex, type IdTable } from '../../blocks/ids.js';
import { codecOfKind } from '../bytes/codecs.js';
import { lookAtInput } from '../bytes/wholeFiles.js';
import {
  type FileKind,
  type FileList,
  type InputFile,
  PLAIN_TEXT,
  STDIN,
  UNKNOWN,
  UTF16,
} from './fileList.js';
import { formatOfKind } from './formats.js';
import { binaryOfBytes, bytesOf, markedFiles, numberInPlace, placeEnd } from './pathIds.js';

/** Time of a file that is gone or denied. */
const GONE = -2;

/** Bytes of a file without its id: the end of the id, root, kind, size, time. */
const FILE_BYTES = 26;

/** A root of files: id = `prefix` + rest, path = `path` + rest. */
interface FileRoot {
  readonly path: string;
  readonly pathBytes: Uint8Array;
  readonly prefix: string;
  /** The place in messages and results: the path, or the address that it is a copy of. Binary string. */
  readonly place: string;
  readonly isRemote: boolean;
  /** Number of the PATH among those typed, from 0. */
  readonly number: number;
}

interface Columns {
  readonly ids: IdTable;
  readonly root: Uint32Array;
  readonly kinds: Uint16Array;
  readonly sizes: Float64Array;
  readonly times: Float64Array;
}

/** Input files in the order of their places: PATHs as typed, in each by the bytes of paths. */
export class FileTable {
  readonly length: number;
  readonly ids: IdTable;
  /** The kinds of a few files follow from their first bytes, and are filled in later (contents.ts). */
  readonly kinds: Uint16Array;
  /** Sizes and times are filled in when they are needed, or when a file was opened. */
  readonly sizes: Float64Array;
  readonly times: Float64Array;
  readonly roots: readonly FileRoot[];
  /** By file: its root, as an index of `roots`. */
  readonly root: Uint32Array;
  private readonly scratch = new ByteColumn();
  private markedOnce: Uint8Array | null | undefined;
  private index: IdIndex | null = null;
  /** The number of PATHs of a reference, which are the first ones. */
  private readonly references: number;
  /** Removes the copies of files of other machines. */
  readonly close: () => void;

  constructor(columns: Columns, roots: readonly FileRoot[], references = 0, close: () => void = () => {}) {
    this.references = references;
    this.close = close;
    this.length = columns.kinds.length;
    this.ids = columns.ids;
    this.kinds = columns.kinds;
    this.sizes = columns.sizes;
    this.times = columns.times;
    this.root = columns.root;
    this.roots = roots;
  }

  /** The numbers of files of wanted kinds, ascending. `isWanted` is called once per run of equal kinds. */
  *ofKind(isWanted: (kind: FileKind) => boolean): Generator<number> {
    const { kinds } = this;
    for (let from = 0, to = 0; from < kinds.length; from = to) {
      to = endOfRun(kinds, from);
      if (isWanted(kinds[from]!)) for (let i = from; i < to; i++) yield i;
    }
  }

  id(index: number): string {
    const { offsets, bytes } = this.ids;
    return binaryOfBytes(bytes.subarray(offsets[index]!, offsets[index + 1]!));
  }

  /** The file with this id; -1: none. */
  indexOf(id: Uint8Array): number {
    this.index ??= IdIndex.of(this.ids);
    return this.index.find(id);
  }

  /** Files whose places are marked as whole files (see pathIds.ts); null: none. Called once all files are known. */
  get marked(): Uint8Array | null {
    if (this.markedOnce === undefined)
      this.markedOnce = markedFiles(
        this.ids,
        (id) => this.indexOf(id),
        (i) => formatOfKind(this.kinds[i]!).holds === 'text',
      );
    return this.markedOnce;
  }

  /** The part of a record's address behind the id of its file. `record` as readers number it: -1 for a whole file. */
  addressNumber(index: number, record: number, firstLine: number): number {
    return numberInPlace(record, firstLine, this.marked?.[index] === 1);
  }

  address(index: number, record: number, firstLine: number): string {
    return this.id(index) + placeEnd(this.addressNumber(index, record, firstLine));
  }

  /** Appends the address without making a string of the file's id. */
  appendAddress(index: number, record: number, firstLine: number, out: ByteColumn): void {
    const { bytes, offsets } = this.ids;
    out.append(bytes.subarray(offsets[index]!, offsets[index + 1]!));
    out.appendBinary(placeEnd(this.addressNumber(index, record, firstLine)));
  }

  /** Whether the file is a PATH itself, not found below one. */
  isNamed(index: number): boolean {
    const { offsets } = this.ids;
    return offsets[index + 1]! - offsets[index]! === this.roots[this.root[index]!]!.prefix.length;
  }

  /** The place of a file: a path, or an address. Binary string. */
  source(index: number): string {
    const { place, prefix } = this.roots[this.root[index]!]!;
    return place + this.id(index).slice(prefix.length);
  }

  /** The path to open. */
  path(index: number): string {
    const { path, prefix } = this.roots[this.root[index]!]!;
    return path + this.id(index).slice(prefix.length);
  }

  /** Whether it is the copy of a file of another machine. */
  isRemote(index: number): boolean {
    return this.roots[this.root[index]!]!.isRemote;
  }

  /** Appends the bytes of the path, without making a string. */
  appendPath(index: number, out: ByteColumn): void {
    const { offsets, bytes } = this.ids;
    const { pathBytes, prefix } = this.roots[this.root[index]!]!;
    out.append(pathBytes);
    out.append(bytes.subarray(offsets[index]! + prefix.length, offsets[index + 1]!));
  }

  /** The bytes of the path, in the memory of the last call. */
  pathBytes(index: number): Uint8Array {
    this.scratch.truncate(0);
    this.appendPath(index, this.scratch);
    return this.scratch.view;
  }

  get hasReference(): boolean {
    return this.references > 0;
  }

  /** Whether a file belongs to the reference of --against. */
  isReference(index: number): boolean {
    return this.roots[this.root[index]!]!.number < this.references;
  }

  /** The files of the reference, which come first, or the others. */
  ofSide(isReference: boolean): FileTable {
    let first = 0;
    while (first < this.length && this.isReference(first)) first++;
    const [from, to] = isReference ? [0, first] : [first, this.length];
    const columns: Columns = {
      ids: { bytes: this.ids.bytes, offsets: this.ids.offsets.subarray(from, to + 1) },
      root: this.root.subarray(from, to),
      kinds: this.kinds.subarray(from, to),
      sizes: this.sizes.subarray(from, to),
      times: this.times.subarray(from, to),
    };
    return new FileTable(columns, this.roots, this.references, this.close);
  }

  /** A file as an object, for files that are handled one by one. */
  file(index: number): InputFile {
    const kind = this.kinds[index]!;
    return {
      path: this.path(index),
      id: this.id(index),
      bytes: this.sizes[index]!,
      format: formatOfKind(kind).name,
      codec: codecOfKind(kind),
      utf16: (kind & UTF16) !== 0,
      stdin: (kind & STDIN) !== 0,
    };
  }

  /** Notes sizes and times that readers saw when they opened files. The first known state is kept. */
  noteOpened({ files, bytes, times }: OpenedColumns): void {
    for (let i = 0; i < files.length; i++) this.note(files[i]!, bytes[i]!, times[i]!);
  }

  /** Looks up the size and the time of a file, if they are unknown. */
  lookUp(index: number): void {
    if (this.times[index] !== UNKNOWN) return;
    const isStdin = (this.kinds[index]! & STDIN) !== 0;
    // Its reader reports a file that is gone or denied.
    const state = isStdin ? null : (lookAtInput(this.pathBytes(index)) ?? { size: 0, mtimeMs: GONE });
    this.note(index, state?.size ?? 0, state?.mtimeMs ?? 0);
  }

  /** Looks up all files whose states are unknown. */
  lookUpRest(): void {
    for (let i = this.times.indexOf(UNKNOWN); i >= 0; i = this.times.indexOf(UNKNOWN, i + 1)) this.lookUp(i);
  }

  private note(index: number, size: number, time: number): void {
    if (this.times[index] !== UNKNOWN) return;
    this.sizes[index] = size;
    this.times[index] = time;
  }

  get tableBytes(): number {
    return FILE_BYTES * this.length + this.ids.bytes.length;
  }
}

/** The end of the run of equal values that begins at `from`. */
function endOfRun(values: Uint16Array, from: number): number {
  const value = values[from]!;
  let to = from + 1;
  while (to < values.length && values[to] === value) to++;
  return to;
}

/** Collects files in their order. */
export class FileTableBuilder {
  private readonly roots: FileRoot[] = [];
  private readonly bytes = new ByteColumn();
  private readonly offsets = new Uint32Column();
  private readonly root = new Uint32Column();
  private readonly kinds = new Uint32Column();

  constructor() {
    this.offsets.push(0);
  }

  /** Adds a folder, by its real path and the prefix of the ids of its files (may be empty). The files that follow are below it. */
  addFolder(path: string, prefix: string, number = 0, address: string | null = null): void {
    const folder = path.endsWith('/') ? path : `${path}/`;
    this.addRoot(folder, prefix === '' ? '' : `${prefix}/`, number, address && `${address}/`);
  }

  /** Adds a file of the last folder; `folder` is relative to that one, empty for itself. */
  addFile(folder: string, name: string, kind: FileKind): void {
    this.bytes.appendBinary(this.roots.at(-1)!.prefix);
    if (folder !== '') {
      this.bytes.appendBinary(folder);
      this.bytes.push(0x2f);
    }
    this.bytes.appendBinary(name);
    this.offsets.push(this.bytes.length);
    this.root.push(this.roots.length - 1);
    this.kinds.push(kind);
  }

  /** Adds a file that is a PATH. */
  addSingle(path: string, id: string, kind: FileKind, number = 0, address: string | null = null): void {
    this.addRoot(path, id, number, address);
    this.addFile('', '', kind);
  }

  private addRoot(path: string, prefix: string, number: number, address: string | null): void {
    const place = address ?? path;
    this.roots.push({ path, pathBytes: bytesOf(path), prefix, number, place, isRemote: address !== null });
  }

  /** The table. `references`: PATHs of a reference, the first ones. `close`: see FileTable. */
  finish(references = 0, close?: () => void): FileTable {
    const { length } = this.kinds;
    const columns: Columns = {
      ids: { offsets: this.offsets.view.slice(), bytes: this.bytes.view.slice() },
      root: this.root.view.slice(),
      kinds: Uint16Array.from(this.kinds.view),
      sizes: new Float64Array(length).fill(UNKNOWN),
      times: new Float64Array(length).fill(UNKNOWN),
    };
    return new FileTable(columns, this.roots, references, close);
  }
}

/** Documents in memory are in a file without a name: their location is `#` and their number, from 1. */
export function unnamedFile(): FileTable {
  const files = new FileTableBuilder();
  files.addSingle('', '', PLAIN_TEXT);
  return files.finish();
}

export function fileListOf(files: FileTable, indexes: Uint32Array): FileList {
  const paths = new ByteColumn();
  const kinds = new Uint16Array(indexes.length);
  const sizes = new Float64Array(indexes.length);
  const pathEnds = new Uint32Array(indexes.length);
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i]!;
    kinds[i] = files.kinds[index]!;
    sizes[i] = files.sizes[index]!;
    files.appendPath(index, paths);
    pathEnds[i] = paths.length;
  }
  return { indexes, kinds, sizes, pathEnds, paths: paths.view };
}
