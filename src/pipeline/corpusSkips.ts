/**
 * What the column blocks skipped, each place once.
 *
 * Floor 4.
 */
import type { Block } from '../blocks/block.js';
import { WHOLE_FILE } from '../blocks/documents.js';
import { SKIP_CODES } from '../errors.js';
import type { PlaceNames } from './corpusIds.js';
import type { SkipList } from './skipped.js';

export class RepeatedSkips {
  /** Skips of whole files that were named before: a file that cannot be read fails in each of its byte ranges. */
  repeated = 0;
  /** All that were met. */
  taken = 0;
  private readonly named = new Set<string>();
  private readonly places: PlaceNames;
  private readonly skipped: SkipList;

  constructor(places: PlaceNames, skipped: SkipList) {
    this.places = places;
    this.skipped = skipped;
  }

  /** `firstLine`: the line the block begins with, null where records are not lines. */
  add({ columns }: Block, firstLine: number | null): void {
    const { skipFile, skipRecord, skipCode, skipIdBytes, skipIdOffsets } = columns;
    this.taken += skipCode!.length;
    for (let i = 0; i < skipCode!.length; i++) {
      if (skipRecord![i] === WHOLE_FILE) {
        const key = `${skipFile![i]} ${skipCode![i]}`;
        if (this.named.has(key)) {
          this.repeated++;
          continue;
        }
        this.named.add(key);
      }
      const from = skipIdOffsets![i]!;
      const to = skipIdOffsets![i + 1]!;
      const code = SKIP_CODES[skipCode![i]!]!;
      if (to > from) this.skipped.add((skipIdBytes as Uint8Array).subarray(from, to), code);
      else this.skipped.addBinary(this.places.of(skipFile![i]!, skipRecord![i]!, firstLine), code);
    }
  }
}
