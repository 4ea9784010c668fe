/**
 * What was skipped and why, in columns: a corpus can have a million broken lines.
 *
 * Floor 4.
 */
import { ByteColumn, Uint32Column } from '../blocks/growable.js';
import type { IdTable } from '../blocks/idTable.js';
import { entryInCode } from '../errors/inCode.js';
import { ERRORS, type ErrorCode, LISTED_CODES, MinHashError, SKIP_CODES } from '../errors.js';
import type { SkippedPlaces } from '../storage/results/lists.js';

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

  /** Everything in the order it was added; who writes or shows it puts it in order (`skippedOrder`). */
  columns(): SkippedPlaces {
    const places: IdTable = { offsets: this.offsets.view, bytes: this.bytes.view };
    return { places, codes: this.codes.view };
  }

  /** How often each reason occurs, by code, reasons that occur only. */
  counts(): Record<string, number> {
    return codeCounts(this.codes.view);
  }
}

/** How often each code occurs, by its name; `codes` are indices into LISTED_CODES. */
export function codeCounts(codes: Uint8Array): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of codes) {
    const name = LISTED_CODES[code]!;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** @throws MinHashError INPUT_REFUSED naming the first place skipped, in order of reading */
export function refuse(skipped: SkipList): never {
  const { place, code } = skipped.first();
  const name = SKIP_CODES[code]!;
  const said = ({ text, remedy }: { text: string; remedy: string }): string =>
    `${place}: ${text} (${remedy})`;
  const detail = said(entryInCode(name, ERRORS[name]));
  throw new MinHashError({ code: 'INPUT_REFUSED', detail, typed: said(ERRORS[name]) });
}
