/**
 * Numbers documents once, in keep order: the smaller number of two near-duplicates is kept. All later steps use these
 * numbers. Also finds the duplicate groups; only the first member of a group is compared further.
 *
 * Memory per document: 4 bytes (first of its group), and 8 if rows are not in keep order. While content keys are
 * compared, 10 more bytes, and 64 per document whose key may be repeated. If that does not fit, keys are compared range
 * by range.
 */
import {
  type DuplicateGroups,
  duplicateGroups,
  type KeyedDocuments,
} from '../../reducers/duplicateGroups.js';
import { newArray } from '../arrays/ownPages.js';
import { EMPTY, IGNORED } from '../blocks/documents.js';
import type { FileTable } from '../readers/list/fileTable.js';
import { fieldsRead, type ResultParams } from '../sketch/params.js';
import { type BatchTables, eachFacts, eachTable } from './documentList.js';
import { keepOrder } from './keepOrder.js';

export interface NumberedDocuments {
  readonly documents: number;
  /** Number of reference documents, which have the numbers 0 to `references` - 1. */
  readonly references: number;
  /** How many of these `isLeftOut` excludes: they are read, but are not a part of the reference. */
  readonly leftOut: number;
  /** By row the number, and by number the row; both null if they are equal. */
  readonly numberOf: Uint32Array | null;
  readonly rowOf: Uint32Array | null;
  readonly groups: DuplicateGroups;
  /** By row: 1 if the document has no token, only ignored shingles, or is excluded; it is in no group and no pair. */
  readonly isEmpty: Uint8Array;
}

/**
 * The numbers of all documents, and their duplicate groups.
 *
 * @param files null: documents came from memory
 * @param room bytes for content keys while they are compared
 * @param isLeftOut whether a document, identified by file and record, is excluded from comparison; null: none is
 */
export function numbering(
  tables: BatchTables,
  params: Pick<ResultParams, 'keep' | 'groups' | 'sets' | 'measure'>,
  files: FileTable | null,
  room = Number.POSITIVE_INFINITY,
  isLeftOut: ((file: number, record: number) => boolean) | null = null,
): NumberedDocuments {
  const documents = tables.starts.at(-1)!;
  // The lines of a set may be in several files, so a set does not have a file or a location.
  const { rowOf, references } =
    params.sets === undefined
      ? keepOrder(tables, params.keep, files, fieldsRead(params))
      : { rowOf: null, references: 0 };
  const numberOf = rowOf === null ? null : newArray(Uint32Array, documents);
  if (rowOf !== null) for (let number = 0; number < documents; number++) numberOf![rowOf[number]!] = number;
  const isEmpty = new Uint8Array(documents);
  eachFacts(tables, ({ flags }, first) => {
    for (let i = 0; i < flags.length; i++) isEmpty[first + i] = (flags[i]! & (EMPTY | IGNORED)) === 0 ? 0 : 1;
  });
  let leftOut = 0;
  if (isLeftOut !== null)
    eachFacts(tables, ({ file, record }, first, batch) => {
      const line = tables.firstLines?.[batch] ?? 0;
      for (let i = 0; i < file.length; i++) {
        if (!isLeftOut(file[i]!, record[i]! + line)) continue;
        isEmpty[first + i] = 1;
        leftOut++;
      }
    });
  if (params.measure === 'containment') {
    // Each document is compared with the reference only.
    const groups = duplicateGroups(documents, []);
    return { documents, references, leftOut, numberOf, rowOf, groups, isEmpty };
  }
  const parts = repeatedKeys(tables, isEmpty, numberOf, params.sets === undefined, room);
  const groups = duplicateGroups(documents, parts);
  return { documents, references, leftOut, numberOf, rowOf, groups, isEmpty };
}

/** Flags per document, a power of two. With more flags, fewer different keys share one. */
const FLAGS_PER_DOCUMENT = 8;

/** Bytes per document while duplicate groups are computed: its keys, and the records of sorting. */
const BYTES_OF_KEYED = 64;
/** Parts end where the highest byte of keys changes. */
const KEY_RANGES = 256;

/**
 * The documents whose content keys may be repeated, in parts by key range that fit in `room`. Two flags per value of
 * some key bits show whether it occurs once or more often, so that the keys of most documents are never in memory.
 */
function* repeatedKeys(
  tables: BatchTables,
  isEmpty: Uint8Array,
  numberOf: Uint32Array | null,
  haveTexts: boolean,
  room: number,
): Generator<KeyedDocuments> {
  const bits = Math.min(32, Math.max(8, Math.ceil(Math.log2(FLAGS_PER_DOCUMENT * isEmpty.length + 1))));
  const shift = 32 - bits;
  const once = newArray(Uint8Array, 2 ** (bits - 3));
  const twice = newArray(Uint8Array, 2 ** (bits - 3));
  eachTable(tables, ({ columns: { contentKey } }, first) => {
    for (let i = 0; 4 * i < contentKey!.length; i++) {
      if (isEmpty[first + i] === 1) continue;
      const value = contentKey![4 * i + 3]! >>> shift;
      const flag = 1 << (value & 7);
      if ((once[value >>> 3]! & flag) === 0) once[value >>> 3]! |= flag;
      else twice[value >>> 3]! |= flag;
    }
  });
  const isRepeated = (key: number): boolean =>
    (twice[(key >>> shift) >>> 3]! & (1 << ((key >>> shift) & 7))) !== 0;
  const counts = new Uint32Array(KEY_RANGES);
  eachTable(tables, ({ columns: { contentKey } }, first) => {
    for (let i = 0; 4 * i < contentKey!.length; i++) {
      const key = contentKey![4 * i + 3]!;
      if (isEmpty[first + i] === 0 && isRepeated(key)) counts[key >>> 24]!++;
    }
  });
  const most = room / BYTES_OF_KEYED;
  for (let range = 0, end = 0; range < KEY_RANGES; range = end) {
    let count = counts[range]!;
    for (end = range + 1; end < KEY_RANGES && count + counts[end]! <= most; end++) count += counts[end]!;
    if (count === 0) continue;
    const numbers = newArray(Uint32Array, count);
    const keys = newArray(Uint32Array, 4 * count);
    const textKeys = haveTexts ? newArray(Uint32Array, 4 * count) : null;
    let at = 0;
    eachTable(tables, ({ columns: { contentKey, textKey } }, first) => {
      for (let i = 0; 4 * i < contentKey!.length; i++) {
        const key = contentKey![4 * i + 3]!;
        if (key >>> 24 < range || key >>> 24 >= end || isEmpty[first + i] === 1 || !isRepeated(key)) continue;
        numbers[at] = numberOf === null ? first + i : numberOf[first + i]!;
        for (let word = 0; word < 4; word++) {
          keys[4 * at + word] = contentKey![4 * i + word]!;
          if (textKeys !== null) textKeys[4 * at + word] = textKey![4 * i + word]!;
        }
        at++;
      }
    });
    yield { numbers, keys, textKeys };
  }
}

/**
 * By row a bit: 1 if the document is compared with others. It has tokens and is the first of its duplicate group. In a
 * group with reference documents the first other member is compared too, so that pairs with further reference documents
 * include a document outside the reference.
 */
export function rowsTakingPart({ references, rowOf, groups, isEmpty }: NumberedDocuments): Uint8Array {
  const { firstOf, offsets, members } = groups;
  const bits = new Uint8Array(Math.ceil(firstOf.length / 8));
  const set = (number: number): void => {
    const row = rowOf === null ? number : rowOf[number]!;
    if (isEmpty[row] === 0) bits[row >>> 3]! |= 1 << (row & 7);
  };
  for (let number = 0; number < firstOf.length; number++) if (firstOf[number] === number) set(number);
  if (references === 0) return bits;
  for (let group = 0; group + 1 < offsets.length; group++) {
    const [from, to] = [offsets[group]!, offsets[group + 1]!];
    if (members[from]! >= references) continue;
    for (let i = from; i < to; i++)
      if (members[i]! >= references) {
        set(members[i]!);
        break;
      }
  }
  return bits;
}
