/**
 * Tasks over lines of sets: lines become records, and the records of a batch of sets its table, signatures and elements.
 *
 *      rows        split -> setRows/k
 *      elements    setRows of a batch of sets -> documents/k, signatures/k, elements/k
 *
 * In file mode table and signatures are files in `.work`.
 */

import { type LineCounts, RowCollector, setRows } from '../../../mappers/setRows.js';
import { setSignatures } from '../../../mappers/setSignatures.js';
import { elementSets } from '../../../reducers/elementSets.js';
import { numbersBelow } from '../../arrays/growable.js';
import { type Block, encodeBlock, typedColumns } from '../../blocks/block.js';
import { EMPTY, HAS_ID, REPAIRED, SkippedColumns } from '../../blocks/documents.js';
import type { IdTable } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import type { RowWeights } from '../../blocks/sets.js';
import type { SetFields } from '../../readers/formats/setLines.js';
import type { LinesSplit } from '../../readers/split.js';
import { rowRuleOf } from '../../sketch/params.js';
import type { TaskKind, Workplace } from '../task.js';
import { block, fileBuffer, kernelOf, put, readParamsOf, rowFeed, setupOf } from '../workplace.js';
import { putDocuments, putSignatures, type SketchReport, type SketchTask } from './sketchTasks.js';

export interface RowsTask {
  /** Number of the split, from 0. */
  readonly number: number;
  readonly split: LinesSplit;
  readonly text: string | null;
  readonly fields: SetFields;
}

export interface RowsReport extends LineCounts {
  /** The collector of the split (mappers/setRows.ts), which numbered the sets. */
  readonly collector: number;
}

const COLLECTOR = 'rowCollector';

/** The collector of a worker, reused for all splits because new memory and names would take longer than filling them. */
function collectorOf(here: Workplace, split: number): RowCollector {
  const known = here.scratch.get(COLLECTOR) as RowCollector | undefined;
  if (known?.takes(split)) return known;
  const params = readParamsOf(here);
  const rule = rowRuleOf(params);
  const collector = new RowCollector({ rule, likedFrom: params.sets?.likedFrom ?? 0 }, split, kernelOf(here));
  here.scratch.set(COLLECTOR, collector);
  return collector;
}

/** Map: the lines of a split become records. */
export const rows: TaskKind<RowsTask, RowsReport> = {
  work(task, here) {
    const { number, text } = task;
    const beside = text === null ? null : block(here, text, 'text');
    const collector = collectorOf(here, number);
    const collected = setRows(rowFeed(here, { ...task, beside }), number, collector);
    put(here, NAMES.setRows(number), collected.rows);
    return { ...collected.counts, collector: collector.first };
  },
};

export interface ElementsTask extends Pick<SketchTask, 'block' | 'folder'> {
  /** Name of the block of the records of the batch. */
  readonly records: string;
}

/** Bytes per element of a set for `--max-document`. */
const ELEMENT_BYTES = 8;

/** Reduce: the records of a batch of sets become its table, its elements and (not with --exact-duplicates) its signatures. */
export const elements: TaskKind<ElementsTask, SketchReport> = {
  work(task, here) {
    here.scratch.delete(COLLECTOR);
    const { folder, records } = task;
    const { params } = setupOf(here);
    const recordBlock = block(here, records, 'setRows');
    const columns = typedColumns(recordBlock, { sets: 'u32', elements: 'u32', offsets: 'u32', bytes: 'u8' });
    const weights = recordBlock.columns.weights as RowWeights | undefined;
    const names: IdTable = columns;
    const count = names.offsets.length - 1;
    const rowsOfSets = { ...columns, ...(weights !== undefined && { weights }) };
    const reduced = elementSets(rowsOfSets, count, rowRuleOf(params), params.seed, kernelOf(here));
    const most = Math.floor(params.maxDocument / ELEMENT_BYTES);
    const accepted = numbersBelow(count).filter((set) => reduced.sizes[set]! <= most);
    put(here, NAMES.elements(task.block), reduced.block);
    if (!params.exactDuplicates) {
      const buffer = folder === null ? undefined : fileBuffer(here);
      putSignatures(here, task, setSignatures(reduced.block, accepted, kernelOf(here), params, buffer));
    }
    return putDocuments(here, task, documentsOf(names, accepted, reduced, most));
  },
};

/**
 * The table of the accepted sets (src/blocks/documents.ts). A set may be in several files, so `record` is its number in the batch. It
 * does not have a text. Other sets are too large, and skipped.
 */
function documentsOf(
  names: IdTable,
  accepted: Uint32Array,
  { sizes, keys, isCut }: Pick<ReturnType<typeof elementSets>, 'sizes' | 'keys' | 'isCut'>,
  most: number,
): Block {
  const count = accepted.length;
  const nameOf = (set: number): Uint8Array =>
    names.bytes.subarray(names.offsets[set]!, names.offsets[set + 1]!);
  const idOffsets = new Uint32Array(count + 1);
  const contentKey = new Uint32Array(4 * count);
  const flags = new Uint8Array(count);
  accepted.forEach((set, i) => {
    idOffsets[i + 1] = idOffsets[i]! + nameOf(set).length;
    contentKey.set(keys.subarray(4 * set, 4 * set + 4), 4 * i);
    flags[i] = HAS_ID | (sizes[set] === 0 ? EMPTY : 0) | (isCut[set] === 1 ? REPAIRED : 0);
  });
  const idBytes = new Uint8Array(idOffsets[count]!);
  accepted.forEach((set, i) => {
    idBytes.set(nameOf(set), idOffsets[i]!);
  });
  const skips = new SkippedColumns();
  for (let set = 0; set < sizes.length; set++)
    if (sizes[set]! > most) skips.push(0, set, 'SETS_TOO_LARGE', nameOf(set));
  const occurrences = Float64Array.from(accepted, (set) => sizes[set]!);
  const columns = {
    ...{
      file: new Uint32Array(count),
      record: Float64Array.from(accepted),
      idOffsets,
      idBytes,
      flags,
      contentKey,
    },
    ...{ textKey: new Uint32Array(0), occurrences, textBytes: new Float64Array(0), tokens: occurrences },
    ...skips.views(),
    ...{ openedFile: new Uint32Array(0), openedBytes: new Float64Array(0), openedTime: new Float64Array(0) },
  };
  return encodeBlock('documents', { lines: 0, bytes: 0 }, columns, true);
}
