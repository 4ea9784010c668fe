/**
 * The input files as tasks of a sorting engine see them: by number, in input order; where the splits of a file begin, how places
 * are called, and which rank each place has.
 */
import { packingOfKind } from '../../readers/bytes/packings.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { formatOfKind } from '../../readers/list/formats.js';
import { numberInPlace, placeEnd, WHOLE } from '../../readers/list/pathIds.js';
import type { CorpusForm } from './fileColumns.js';
import { WHOLE_ORDINAL, WHOLE_RECORD } from './kinds.js';
import { PlacesInFiles } from './placesInFiles.js';
import type { FileSplits, TaskManifest } from './taskManifest.js';

const HASH = 0x23;

/** The input files. A place is a file and a record: the record's number in the file, from 0, or WHOLE_RECORD. */
export class CorpusFiles {
  /** How documents are numbered in their files. */
  readonly numbered: PlacesInFiles;
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
  }: Pick<TaskManifest, 'files' | 'splits' | 'firsts' | 'strides'>) {
    this.files = files;
    this.numbered = new PlacesInFiles(strides);
    this.splits = splits;
    this.firsts = firsts;
  }

  get count(): number {
    return this.files.length;
  }

  /** The number of the file that the engine calls `uri`; -1: no input has that name. */
  numberOf(uri: string): number {
    return this.files.numberOf(uri);
  }

  /** What the documents of the file are. */
  formOf(file: number): CorpusForm {
    return this.files.formOf(file);
  }

  /** Whether the file is one document. */
  isWhole(file: number): boolean {
    return this.formOf(file) === 'whole';
  }

  file(file: number): InputFile {
    const { files } = this;
    const kind = files.kinds[file]!;
    const [format, packing] = [formatOfKind(kind).name, packingOfKind(kind)];
    const named = { path: files.uri(file), id: files.id(file), bytes: files.bytesOf(file) };
    return { ...named, format, packing, utf16: false, stdin: false };
  }

  /**
   * The number of the record in its file; -1: the file was refused. @throws Error where no split begins at `start`: our own
   * defect
   */
  recordOf(file: number, start: number, ordinal: number): number {
    // Records of a split mostly come one after the other.
    const { last } = this;
    if (last.file === file && last.start === start && ordinal !== WHOLE_ORDINAL) return last.first + ordinal;
    const { splits } = this;
    const hasSplits = splits !== null && splits.begins[file]! < splits.ends[file]!;
    if (ordinal === WHOLE_ORDINAL && hasSplits) return WHOLE_RECORD;
    // The start of a row is its number.
    if (this.formOf(file) === 'rows') return start + ordinal;
    if (!hasSplits) return -1;
    const split = splitAt(splits, file, start);
    if (split < 0) throw new Error(`${this.files.id(file)}: no split begins at ${start}`);
    last.file = file;
    last.start = start;
    last.first = splits.firstLines[split]!;
    return last.first + ordinal;
  }

  /**
   * The records of a split: the number of its first record, and that of the first record after it; null: no split begins at
   * `start`.
   */
  recordsOf(file: number, start: number): readonly [from: number, to: number] | null {
    const end = this.numbered.recordsBefore(file, this.firsts![file + 1]! - this.firsts![file]!);
    if (this.formOf(file) === 'rows') return [start, end];
    const splits = this.splits!;
    const split = splitAt(splits, file, start);
    if (split < 0) return null;
    const next = split + 1 < splits.ends[file]! ? splits.firstLines[split + 1]! : end;
    return [splits.firstLines[split]!, next];
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
    const id = this.files.idBytes(file);
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
    const { files } = this;
    if (files.find(name) >= 0) return true;
    let at = name.length - 1;
    while (at >= 0 && name[at]! >= 0x30 && name[at]! <= 0x39) at--;
    return at >= 0 && name[at] === HASH && files.find(name, 0, at) >= 0;
  }

  /** The number after the id of the file in the name of a place: see pathIds.ts. */
  addressNumber(file: number, record: number): number {
    return numberInPlace(record === WHOLE_RECORD ? WHOLE : record, 0, this.files.isMarked(file));
  }
}

/** The number of the split of a file that begins at `start`; -1: there is none. */
function splitAt({ begins, ends, starts }: FileSplits, file: number, start: number): number {
  let [low, high] = [begins[file]!, ends[file]! - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= start) low = middle;
    else high = middle - 1;
  }
  return low < ends[file]! && starts[low] === start ? low : -1;
}
