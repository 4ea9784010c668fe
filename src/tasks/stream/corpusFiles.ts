/**
 * The input files as tasks of a sorting engine see them: by number, in input order; where the splits of a file begin, how places
 * are called, and which rank each place has.
 */
import { IdIndex, type IdTable } from '../../blocks/ids.js';
import { packingOfKind } from '../../readers/bytes/packings.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { fileKindOf, formatOfKind, hasRows } from '../../readers/list/formats.js';
import { bytesOf, markedFiles, numberInPlace, placeEnd, WHOLE } from '../../readers/list/pathIds.js';
import { WHOLE_ORDINAL, WHOLE_RECORD } from './kinds.js';
import { PlacesInFiles } from './placesInFiles.js';
import type { TaskManifest } from './taskManifest.js';

const HASH = 0x23;

/**
 * What the documents of a file are: its lines (or other records), the whole file, or rows, whose values an engine may read from
 * the columns.
 */
export type CorpusForm = 'lines' | 'whole' | 'rows';

/** What is known of files by their list alone. */
class ListedFiles {
  readonly ids: IdTable;
  readonly kinds: Uint16Array;
  readonly byId: IdIndex;
  readonly marked: Uint8Array | null;
  /** What of the parameters it follows from, too. */
  readonly params: string;
  private readonly files: TaskManifest['files'];
  private numbers: ReadonlyMap<string, number> | null = null;

  private constructor(files: TaskManifest['files'], params: TaskManifest['params'], told: string) {
    this.files = files;
    this.params = told;
    this.ids = tableOf(files.map(({ id }) => bytesOf(id)));
    this.kinds = Uint16Array.from(files, ({ id, kind }) => kind ?? fileKindOf(id, params));
    this.byId = IdIndex.of(this.ids);
    this.marked = markedFiles(
      this.ids,
      (id) => this.byId.find(id),
      (file) => formOfKind(this.kinds[file]!) === 'whole',
    );
  }

  /** By the name that the engine gives it: the number of a file. */
  get byUri(): ReadonlyMap<string, number> {
    this.numbers ??= new Map(this.files.map(({ uri }, file) => [uri, file]));
    return this.numbers;
  }

  /** Of the files of a manifest: made once for all manifests that share the list. */
  static of({ files, params }: Pick<TaskManifest, 'files' | 'params'>): ListedFiles {
    const told = JSON.stringify(params);
    const known = LISTED.get(files);
    if (known?.params === told) return known;
    const made = new ListedFiles(files, params, told);
    LISTED.set(files, made);
    return made;
  }
}

const LISTED = new WeakMap<TaskManifest['files'], ListedFiles>();

function formOfKind(kind: number): CorpusForm {
  const format = formatOfKind(kind);
  if (format.holds === 'text') return 'whole';
  return hasRows(format) ? 'rows' : 'lines';
}

/** The input files. A place is a file and a record: the record's number in the file, from 0, or WHOLE_RECORD. */
export class CorpusFiles {
  /** How documents are numbered in their files. */
  readonly numbered: PlacesInFiles;
  private readonly listed: ListedFiles;
  private readonly files: TaskManifest['files'];
  private readonly splits: TaskManifest['splits'];
  private readonly firsts: TaskManifest['firsts'];
  /** The split that was found last, and the number of its first record. */
  private readonly last = { file: -1, start: -1, first: 0 };

  constructor({
    files,
    splits,
    firsts,
    strides,
    params,
  }: Pick<TaskManifest, 'files' | 'splits' | 'firsts' | 'strides' | 'params'>) {
    this.files = files;
    this.numbered = new PlacesInFiles(strides);
    this.splits = splits;
    this.firsts = firsts;
    this.listed = ListedFiles.of({ files, params });
  }

  get count(): number {
    return this.files.length;
  }

  /** The number of the file that the engine calls `uri`; -1: no input has that name. */
  numberOf(uri: string): number {
    return this.listed.byUri.get(uri) ?? -1;
  }

  /** What the documents of the file are. */
  formOf(file: number): CorpusForm {
    return formOfKind(this.listed.kinds[file]!);
  }

  /** Whether the file is one document. */
  isWhole(file: number): boolean {
    return this.formOf(file) === 'whole';
  }

  file(file: number): InputFile {
    const { uri, id, bytes } = this.files[file]!;
    const kind = this.listed.kinds[file]!;
    const [format, packing] = [formatOfKind(kind).name, packingOfKind(kind)];
    return { path: uri, id, bytes, format, packing, utf16: false, stdin: false };
  }

  /**
   * The number of the record in its file; -1: the file was refused. @throws Error where no split begins at `start`: our own
   * defect
   */
  recordOf(file: number, start: number, ordinal: number): number {
    // Records of a split mostly come one after the other.
    const { last } = this;
    if (last.file === file && last.start === start && ordinal !== WHOLE_ORDINAL) return last.first + ordinal;
    const splits = this.splits?.[file] ?? [];
    if (ordinal === WHOLE_ORDINAL && splits.length > 0) return WHOLE_RECORD;
    // The start of a row is its number.
    if (this.formOf(file) === 'rows') return start + ordinal;
    if (splits.length === 0) return -1;
    const split = this.splitAt(file, start);
    if (split < 0) throw new Error(`${this.files[file]!.id}: no split begins at ${start}`);
    Object.assign(last, { file, start, first: splits[split]![1] });
    return last.first + ordinal;
  }

  /**
   * The records of a split: the number of its first record, and that of the first record after it; null: no split begins at
   * `start`.
   */
  recordsOf(file: number, start: number): readonly [from: number, to: number] | null {
    const end = this.numbered.recordsBefore(file, this.firsts![file + 1]! - this.firsts![file]!);
    if (this.formOf(file) === 'rows') return [start, end];
    const split = this.splitAt(file, start);
    if (split < 0) return null;
    const splits = this.splits![file]!;
    return [splits[split]![1], splits[split + 1]?.[1] ?? end];
  }

  /** The index of the split of the file that begins at `start`; -1: there is none. */
  private splitAt(file: number, start: number): number {
    const splits = this.splits?.[file] ?? [];
    let [low, high] = [0, splits.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (splits[middle]![0] <= start) low = middle;
      else high = middle - 1;
    }
    return splits[low]?.[0] === start ? low : -1;
  }

  /**
   * The rank of the document of this number in the file (placesInFiles.ts): its number among those of all files. Ranks are in the
   * order of places, with gaps.
   */
  rankOf(file: number, number: number): number {
    if (this.firsts === null) throw new Error('places have no ranks yet: our own defect');
    return this.firsts[file]! + (number === WHOLE_RECORD ? 0 : number);
  }

  /** The name of a document whose record has no id. */
  place(file: number, record: number): Uint8Array {
    const { offsets, bytes } = this.listed.ids;
    const id = bytes.subarray(offsets[file]!, offsets[file + 1]!);
    const end = placeEnd(this.addressNumber(file, record));
    if (end === '') return id;
    const place = new Uint8Array(id.length + end.length);
    place.set(id);
    for (let i = 0; i < end.length; i++) place[id.length + i] = end.charCodeAt(i);
    return place;
  }

  /** The same of a number in the file (placesInFiles.ts): the name of the document whose unit it is, too. */
  placeOf(file: number, number: number): Uint8Array {
    return this.place(file, this.numbered.recordOf(file, number));
  }

  /** Whether a name reads like the place of a record or of a file. */
  isLikePlace(name: Uint8Array): boolean {
    const { byId } = this.listed;
    if (byId.find(name) >= 0) return true;
    let at = name.length - 1;
    while (at >= 0 && name[at]! >= 0x30 && name[at]! <= 0x39) at--;
    return at >= 0 && name[at] === HASH && byId.find(name, 0, at) >= 0;
  }

  /** The number after the id of the file in the name of a place: see pathIds.ts. */
  addressNumber(file: number, record: number): number {
    return numberInPlace(record === WHOLE_RECORD ? WHOLE : record, 0, this.listed.marked?.[file] === 1);
  }
}

function tableOf(ids: readonly Uint8Array[]): IdTable {
  const offsets = new Uint32Array(ids.length + 1);
  ids.forEach((id, i) => {
    offsets[i + 1] = offsets[i]! + id.length;
  });
  const bytes = new Uint8Array(offsets[ids.length]!);
  ids.forEach((id, i) => {
    bytes.set(id, offsets[i]!);
  });
  return { offsets, bytes };
}
