/** Checks every byte of an index: sizes, checksums, the order of bands, and that keys belong to signatures. */
import { MinHashError } from '../errors.js';
import { writeBandKeys } from '../sketch/slots.js';
import { PAGE_ENTRIES } from './format.js';
import { openedIndex } from './indexFolder.js';
import type { PinnedParams } from './indexManifest.js';
import type { Segment } from './segment.js';

export interface IndexCheck {
  readonly documents: number;
  readonly removed: number;
  /** Sentences that begin with the path of a file; empty if the index is valid. */
  readonly problems: readonly string[];
}

/** @throws MinHashError INDEX_MISSING, INDEX_MISMATCH; damage is returned as problems */
export function checkIndex(folder: string): IndexCheck {
  const problems: string[] = [];
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      if (!(error instanceof MinHashError) || error.code !== 'INDEX_DAMAGED') throw error;
      problems.push(...error.problems.map(({ detail }) => detail));
    }
  };
  let [documents, removed] = [0, 0];
  attempt(() => {
    const index = openedIndex(folder);
    try {
      for (const segment of index.segments) {
        documents += segment.rows;
        removed += segment.entry.removed?.count ?? 0;
        attempt(() => checkRows(segment, index.manifest.sets, index.portion));
        attempt(() => checkBands(segment, index.manifest.parameters, problems));
      }
    } finally {
      index.close();
    }
  });
  return { documents: documents - removed, removed, problems };
}

function checkRows(segment: Segment, sets: boolean, portion: (number: number) => unknown): void {
  for (let row = 0; row < segment.rows; row++) {
    const record = segment.record(row);
    segment.names(record);
    if (sets) segment.set(record);
    // A portion whose documents are all removed is gone before its rows are.
    if (!segment.isRemoved(row)) portion(record.portion);
  }
}

function checkBands(segment: Segment, { banding, sketch }: PinnedParams, problems: string[]): void {
  const { rows, entry } = segment;
  const keys = Array.from({ length: banding.bands }, () => new Uint32Array(rows));
  const own = new Uint32Array(banding.bands);
  for (let row = 0; row < rows; row++) {
    writeBandKeys(segment.signature(row).subarray(0, sketch.hashes), sketch.hashes, banding, own);
    for (let band = 0; band < banding.bands; band++) keys[band]![row] = own[band]!;
  }
  for (let band = 0; band < banding.bands; band++) {
    let [lastKey, lastRow] = [0, -1];
    for (let page = 0; page * PAGE_ENTRIES < rows; page++) {
      const entries = segment.page(band, page);
      for (let i = 0; i < entries.length; i += 2) {
        const [row, key] = [entries[i]!, entries[i + 1]!];
        const isNext = key > lastKey || (key === lastKey && row > lastRow);
        if (!isNext || keys[band]![row] !== key) {
          problems.push(`${entry.name}/bands: band ${band} is not that of the signatures`);
          return;
        }
        [lastKey, lastRow] = [key, row];
      }
    }
  }
}
