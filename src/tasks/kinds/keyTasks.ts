/**
 * Brings bucket keys to the task of their band: as the bands were written, where they are in memory, else regrouped by band.
 *
 * A block `bands/k` has the keys of all bands of one column block; a task of one band would read all of it to use one part in
 * twenty. So the keys of a group of column blocks are turned into a block for each band, and a task reads those one at a time.
 */

import { newBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import { type BandKeys, type KeyRange, RangedKeys } from '../../blocks/pairs.js';
import type { PlannedKind, Workplace } from '../task.js';
import { block, glance, put } from '../workplace.js';

export interface KeysTask {
  readonly group: number;
  /** Blocks `bands/k` for k from `first` (inclusive) to `end` (exclusive), with so many columns together. */
  readonly first: number;
  readonly end: number;
  readonly columns: number;
  readonly bands: number;
}

/** Reduce: keys of some column blocks, all bands -> one block a band, in the order of columns. */
export const keys: PlannedKind<KeysTask, null> = {
  reads: ['bands'],
  writes: ['keys'],
  planned: ({ compared }) => (compared === 'signatures' ? 'maybe' : null),
  shuffles: { keys: ['band', 'bucket key'] },
  work({ group, first, end, columns, bands }, here) {
    const out = Array.from({ length: bands }, () =>
      newBlock('bands', { columns }, { keys: ['u32', 2 * columns] }, true),
    );
    let at = 0;
    for (let k = first; k < end; k++) {
      const stored = glance(here, NAMES.bands(k), 'bands');
      const width = 2 * (stored.meta.columns as number);
      for (let band = 0; band < bands; band++) {
        const part = (stored.columns.keys as Uint32Array).subarray(band * width, (band + 1) * width);
        (out[band]!.columns.keys as Uint32Array).set(part, at);
      }
      at += width;
      here.progress();
    }
    out.forEach((one, band) => {
      put(here, NAMES.keys(group, band), one);
    });
    return null;
  },
};

/** Which keys a task sorts into buckets. */
export interface BandTask {
  readonly band: number;
  /**
   * Name of a block with `documents`, ascending, and either their `places` among all columns or their `buckets`; or with
   * `documentOf` by column, NO_KEY where the column is in no bucket.
   */
  readonly documents: string;
  /** Number of blocks `bands/k`, for documents with places. */
  readonly blocks: number;
  /** Number of blocks `keys/g/b`, for documents by column. */
  readonly groups: number;
  /** The range of keys; null: all. Where the block has `buckets`, their numbers are the high words of keys. */
  readonly range: KeyRange | null;
  /** About how many documents are in the range. */
  readonly expected: number;
}

/** Documents, ascending, and their keys. */
interface KeyedDocuments {
  readonly keys: BandKeys;
  readonly documents: Uint32Array;
}

export function keyedDocuments(here: Workplace, task: BandTask): KeyedDocuments {
  const list = block(here, task.documents, 'documents').columns as Record<string, Uint32Array>;
  if (list.documentOf !== undefined) return regroupedKeys(here, task, list.documentOf);
  if (list.places !== undefined) {
    return { keys: heldKeys(here, task, list.places), documents: list.documents! };
  }
  const { documents, buckets } = list;
  if (task.range !== null) {
    const ranged = new RangedKeys(task.range, task.expected);
    ranged.add(numberedKeys(buckets!), documents!, 0);
    return ranged.finish();
  }
  return { keys: { blocks: [numberedKeys(buckets!)], places: null }, documents: documents! };
}

function heldKeys(here: Workplace, task: BandTask, places: Uint32Array): BandKeys {
  const blocks = Array.from({ length: task.blocks }, (_, k) => {
    const { meta, columns } = block(here, NAMES.bands(k), 'bands');
    const width = 2 * (meta.columns as number);
    return (columns.keys as Uint32Array).subarray(task.band * width, (task.band + 1) * width);
  });
  return { blocks, places };
}

/** Numbers of buckets as keys of documents: high words. */
function numberedKeys(buckets: Uint32Array): Uint32Array {
  const keys = new Uint32Array(2 * buckets.length);
  for (let i = 0; i < buckets.length; i++) keys[2 * i + 1] = buckets[i]!;
  return keys;
}

function regroupedKeys(
  here: Workplace,
  { band, groups, range, expected }: BandTask,
  documentOf: Uint32Array,
): KeyedDocuments {
  const ranged = new RangedKeys(range ?? ALL_KEYS, expected);
  for (let group = 0, at = 0; group < groups; group++) {
    const part = glance(here, NAMES.keys(group, band), 'bands').columns.keys as Uint32Array;
    ranged.add(part, documentOf, at);
    at += part.length / 2;
    here.progress();
  }
  return ranged.finish();
}

const ALL_KEYS: KeyRange = { from: 0, to: 2 ** 32 };
