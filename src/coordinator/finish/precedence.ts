/**
 * The keep order: the reference of --against, then by the value of --keep, then by location.
 */

import { BY_PLACE, type Precedence } from '../../../reducers/dropList.js';
import { PLACES_OF_KINDS, timeValue, writeNumberKey } from '../../../reducers/survivorKeys.js';
import { numbersBelow, Uint32Column } from '../../arrays/growable.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import { decodeBlock } from '../../blocks/block.js';
import { openedColumns } from '../../blocks/documents.js';
import { NUMBER, TEXT } from '../../blocks/fieldValues.js';
import { compareIds, type IdTable, idOrder } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import { STDIN, UNKNOWN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { lookAt } from '../../readers/list/sizes.js';
import type { KeepRule } from '../../sketch/params.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { DocumentFields } from '../sketch/documentFields.js';

/** What of a run is asked. */
type OrderedRun = Pick<Run, 'params' | 'tables'> & { readonly engine: Pick<Run['engine'], 'store'> };

/** Bytes of a document in the order: its rank, that of its class, and a flag. */
const RANK_BYTES = 9;
/** Further bytes while the order is made: its key, its value, its number, and the memory of the sort. */
const RANKED_BYTES = 32;

/**
 * The order of survivors of a corpus. Where it is the order of places, no table is made.
 *
 * @param files the input files by number, null for documents in memory
 * @throws MinHashError MEMORY_BUDGET
 */
export function* survivorsOrder(
  run: OrderedRun,
  corpus: Corpus,
  files: FileTable | null,
): Stepwise<Precedence> {
  const { params } = run;
  // The lines of a set may stand anywhere.
  if (params.sets !== undefined) return BY_PLACE;
  const isProtected = files?.hasReference === true ? referenceFlags(run, corpus, files) : null;
  const isByPlace = params.keep.by === 'first' && (isProtected === null || isFirst(isProtected));
  yield;
  const rank = isByPlace ? null : yield* ranksOf(run, corpus, files, isProtected);
  return { rank, isProtected, group: corpus.group };
}

/** By document, 1: it is of the reference, and never dropped. */
function referenceFlags(
  run: OrderedRun,
  { documents, blockOf, columnOf, tables }: Corpus,
  files: FileTable,
): Uint8Array {
  run.tables.take(`flags of ${documents} documents, for --against,`, documents);
  const flags = new Uint8Array(documents);
  for (let d = 0; d < documents; d++)
    flags[d] = files.isReference(tables[blockOf[d]!]!.columns.file[columnOf[d]!]!) ? 1 : 0;
  return flags;
}

/** Whether the flagged documents come before all others. */
function isFirst(flags: Uint8Array): boolean {
  const other = flags.indexOf(0);
  return other < 0 || flags.indexOf(1, other) < 0;
}

/** By document its rank: stable sorts, the least significant key first. */
function* ranksOf(
  run: OrderedRun,
  corpus: Corpus,
  files: FileTable | null,
  isReference: Uint8Array | null,
): Stepwise<Uint32Array> {
  const { documents } = corpus;
  const temporary = RANKED_BYTES * documents;
  run.tables.take(`the order of ${documents} documents`, RANK_BYTES * documents + temporary);
  const order: Uint32Array = numbersBelow(documents);
  const keys = new Uint32Array(2 * documents);
  const sortBy = (keyOf: (d: number) => number): void => {
    for (let place = 0; place < documents; place++) writeNumberKey(keys, place, keyOf(order[place]!));
    sortByKey64(keys, order, documents);
  };
  const { keep } = run.params;
  if (keep.by === 'last') order.reverse();
  const values = yield* valuesOf(run, corpus, files, keep);
  yield;
  if (values !== null) sortBy((d) => values.value[d]!);
  if (values?.kind) sortBy((d) => values.kind![d]!);
  yield;
  if (isReference !== null) sortBy((d) => 1 - isReference[d]!);
  const rank = new Uint32Array(documents);
  for (let place = 0; place < documents; place++) rank[order[place]!] = place;
  run.tables.give(temporary);
  return rank;
}

/** By document the value of a rule of --keep, the least first. */
interface KeepValues {
  readonly value: Float64Array;
  /** Kinds of values in their order: numbers, texts, missing ones; null: all are of one kind. */
  readonly kind: Uint8Array | null;
}

/** Null: the documents have no value for the rule. */
function* valuesOf(
  run: OrderedRun,
  corpus: Corpus,
  files: FileTable | null,
  { by, field, best }: KeepRule,
): Stepwise<KeepValues | null> {
  const { documents, blockOf, columnOf, tables } = corpus;
  if (by === 'field') return yield* valuesOfField(run, corpus, field!, best!);
  if (by !== 'longest' && by !== 'shortest' && by !== 'newest' && by !== 'oldest') return null;
  const values = new Float64Array(documents);
  if (by === 'longest' || by === 'shortest') {
    const sign = by === 'longest' ? -1 : 1;
    for (let d = 0; d < documents; d++) {
      values[d] = sign * tables[blockOf[d]!]!.columns.textBytes![columnOf[d]!]!;
    }
    return { value: values, kind: null };
  }
  if (files === null) return null;
  const times = timesOf(run, corpus, files);
  for (let d = 0; d < documents; d++) {
    values[d] = timeValue(by, times[tables[blockOf[d]!]!.columns.file[columnOf[d]!]!]!);
  }
  return { value: values, kind: null };
}

function* valuesOfField(
  run: OrderedRun,
  corpus: Corpus,
  name: string,
  best: NonNullable<KeepRule['best']>,
): Stepwise<KeepValues> {
  let taken = 0;
  const take = (bytes: number): void => {
    run.tables.take(`values of the field ${JSON.stringify(name)}`, bytes);
    taken += bytes;
  };
  const fields = corpus.fieldValues(name, take);
  yield;
  const values = yield* orderedValues(fields, best, take);
  run.tables.give(taken);
  return values;
}

function* orderedValues(
  fields: DocumentFields,
  best: 'max' | 'min',
  take: (bytes: number) => void,
): Stepwise<KeepValues> {
  const { kinds, numbers } = fields;
  const texts = new Uint32Column();
  const kind = new Uint8Array(kinds.length);
  const value = new Float64Array(kinds.length);
  for (let d = 0; d < kinds.length; d++) {
    kind[d] = PLACES_OF_KINDS[kinds[d]!]!;
    if (kinds[d] === NUMBER) value[d] = best === 'max' ? -numbers[d]! : numbers[d]!;
    else if (kinds[d] === TEXT) texts.push(d);
  }
  yield;
  const documents = texts.view;
  const table = tableOf(fields, documents, take);
  yield;
  const sorted = idOrder(table);
  if (best === 'max') sorted.reverse();
  yield;
  // Equal ones have one rank, so that the next rule decides between them.
  let place = 0;
  yield* eachRange(sorted.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (i > 0 && compareIds(table, sorted[i - 1]!, sorted[i]!) !== 0) place = i;
      value[documents[sorted[i]!]!] = place;
    }
  });
  return { value, kind };
}

/** The texts of documents one after the other: in the bytes of one table they are sorted like ids. */
function tableOf(fields: DocumentFields, documents: Uint32Array, take: (bytes: number) => void): IdTable {
  const offsets = new Uint32Array(documents.length + 1);
  documents.forEach((d, i) => {
    offsets[i + 1] = offsets[i]! + fields.text(d).length;
  });
  take(4 * offsets.length + offsets.at(-1)!);
  const bytes = new Uint8Array(offsets.at(-1)!);
  documents.forEach((d, i) => {
    bytes.set(fields.text(d), offsets[i]!);
  });
  return { offsets, bytes };
}

/** By file the time at which it was modified, noted when it was read; not above 0 where it is not known, as for standard input. */
function timesOf(run: OrderedRun, { tables }: Corpus, files: FileTable): Float64Array {
  const times = files.times.slice();
  const { store } = run.engine;
  for (let k = 0; k < tables.length; k++) {
    const name = NAMES.documents(k);
    if (!store.has(name)) continue;
    const opened = openedColumns(decodeBlock(store.get(name), 'documents', name));
    for (let i = 0; i < opened.files.length; i++) {
      if (times[opened.files[i]!] === UNKNOWN) times[opened.files[i]!] = opened.times[i]!;
    }
  }
  for (let file = 0; file < files.length; file++) {
    if (times[file] !== UNKNOWN || (files.kinds[file]! & STDIN) !== 0) continue;
    times[file] = lookAt(files, file).time;
  }
  return times;
}
