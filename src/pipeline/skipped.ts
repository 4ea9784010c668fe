/**
 * What was skipped and why, in columns: a corpus can have a million broken lines.
 *
 * Floor 4.
 */
import { ByteColumn, Uint32Column } from '../blocks/growable.js';
import { compareIds, type IdTable, idOrder } from '../blocks/idTable.js';
import { type ErrorCode, SKIP_CODES } from '../errors.js';

/** Documents and places with their reasons; `codes` index SKIP_CODES. */
export interface Skipped {
  readonly places: IdTable;
  readonly codes: Uint8Array;
}

export class SkipList {
  private readonly bytes = new ByteColumn();
  private readonly offsets = new Uint32Column();
  private readonly codes = new ByteColumn();

  constructor() {
    this.offsets.push(0);
  }

  get length(): number {
    return this.codes.length;
  }

  add(place: Uint8Array, code: ErrorCode): void {
    this.bytes.append(place);
    this.close(code);
  }

  /** `place`: a binary string. */
  addBinary(place: string, code: ErrorCode): void {
    this.bytes.appendBinary(place);
    this.close(code);
  }

  private close(code: ErrorCode): void {
    this.offsets.push(this.bytes.length);
    this.codes.push(SKIP_CODES.indexOf(code));
  }

  /** What was skipped first, for a message; there must be one. */
  first(): { readonly place: string; readonly code: number } {
    const place = this.bytes.view.slice(0, this.offsets.view[1]!);
    return { place: new TextDecoder().decode(place), code: this.codes.view[0]! };
  }

  /** Sorted by place, then by code. */
  sorted(): Skipped {
    const places: IdTable = { offsets: this.offsets.view, bytes: this.bytes.view };
    const codes = this.codes.view;
    const order = idOrder(places);
    sortEqualRuns(places, codes, order);
    const offsets = new Uint32Array(order.length + 1);
    const bytes = new Uint8Array(places.bytes.length);
    const sortedCodes = new Uint8Array(order.length);
    for (let i = 0; i < order.length; i++) {
      const from = order[i]!;
      const place = places.bytes.subarray(places.offsets[from]!, places.offsets[from + 1]!);
      bytes.set(place, offsets[i]!);
      offsets[i + 1] = offsets[i]! + place.length;
      sortedCodes[i] = codes[from]!;
    }
    return { places: { offsets, bytes }, codes: sortedCodes };
  }

  /** How often each reason occurs, by code, reasons that occur only. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const code of this.codes.view) {
      const name = SKIP_CODES[code]!;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

function sortEqualRuns(places: IdTable, codes: Uint8Array, order: Uint32Array): void {
  let start = 0;
  for (let i = 1; i <= order.length; i++) {
    if (i < order.length && compareIds(places, order[start]!, order[i]!) === 0) continue;
    if (i - start > 1) order.subarray(start, i).sort((p, q) => codes[p]! - codes[q]!);
    start = i;
  }
}
