/**
 * The locations that a run skips and the reasons, each once. They are in columns because a corpus can have a million
 * broken lines.
 */

import { ByteColumn, Uint32Column } from '../arrays/growable.js';
import type { Block } from '../blocks/block.js';
import { WHOLE_FILE } from '../blocks/documents.js';
import type { IdTable } from '../blocks/ids.js';
import { ERRORS, type ErrorCode, entryInCode, LISTED_CODES, MinHashError, SKIP_CODES } from '../errors.js';
import type { FileTable } from '../readers/list/fileTable.js';
import type { Inputs } from '../readers/list/inputs.js';
import { binaryOfBytes, bytesOf, filesOfPlace, textOf } from '../readers/list/pathIds.js';
import type { SkippedPlaces } from '../result/tables/tables.js';
import { rescueOf } from '../result/warnings.js';
import type { ResultParams } from '../sketch/params.js';

/** The locations that batches skipped, each once. */
export class RepeatedSkips {
  /**
   * Skips of whole files that an earlier block reported already: an unreadable file fails in each of its byte ranges.
   */
  repeated = 0;
  /** All skips, repeated ones included. */
  taken = 0;
  private readonly reported = new Set<string>();
  private readonly files: FileTable;
  private readonly skipped: SkipList;
  private readonly byId: boolean;

  /** @param byId documents with an id are listed by id, not by location */
  constructor(files: FileTable, skipped: SkipList, byId: boolean) {
    this.files = files;
    this.skipped = skipped;
    this.byId = byId;
  }

  /**
   * `firstLine`: the line of the first record of the block, 0 if records are not lines.
   *
   * @throws MinHashError INPUT_LOST if an input changed so that its tasks no longer fit: the run would have read a part of its old content
   */
  add({ columns }: Block, firstLine: number): void {
    const { skipFile, skipRecord, skipCode, skipIdBytes, skipIdOffsets } = columns;
    this.taken += skipCode!.length;
    for (let i = 0; i < skipCode!.length; i++) {
      if (skipRecord![i] === WHOLE_FILE) {
        const key = `${skipFile![i]} ${skipCode![i]}`;
        if (this.reported.has(key)) {
          this.repeated++;
          continue;
        }
        this.reported.add(key);
      }
      const from = skipIdOffsets![i]!;
      const to = skipIdOffsets![i + 1]!;
      const code = SKIP_CODES[skipCode![i]!]!;
      const place = this.files.address(skipFile![i]!, skipRecord![i]!, firstLine);
      if (code === 'CHANGED') throw new MinHashError({ code: 'INPUT_LOST', detail: textOf(place) });
      if (this.byId && to > from) this.skipped.add((skipIdBytes as Uint8Array).subarray(from, to), code);
      else this.skipped.addBinary(place, code);
    }
  }
}

/** Skipped locations and reasons, in columns. */
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
    this.codes.push(LISTED_CODES.indexOf(code));
  }

  /** The first skip, for a message; the list must not be empty. */
  first(): { readonly place: string; readonly code: number } {
    const place = this.bytes.view.slice(0, this.offsets.view[1]!);
    return { place: new TextDecoder().decode(place), code: this.codes.view[0]! };
  }

  /** All skips in the order in which they were added. Callers that write or show them sort them (`skippedOrder`). */
  columns(): SkippedPlaces {
    const places: IdTable = { offsets: this.offsets.view, bytes: this.bytes.view };
    return { places, codes: this.codes.view };
  }

  /** By code: how often it occurs. Codes that do not occur are absent. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const code of this.codes.view) {
      const name = LISTED_CODES[code]!;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

/** The paths of damaged compressed files, the first by code. */
export function damagedFiles(skipped: SkipList, files: FileTable): Record<string, string> {
  const { places, codes } = skipped.columns();
  const paths: Record<string, string> = {};
  codes.forEach((code, i) => {
    const name = LISTED_CODES[code]!;
    if (paths[name] !== undefined || rescueOf(name) === null) return;
    const place = binaryOfBytes(places.bytes.subarray(places.offsets[i]!, places.offsets[i + 1]!));
    const file = filesOfPlace(place)
      .map((id) => files.indexOf(bytesOf(id)))
      .find((index) => index >= 0);
    if (file !== undefined) paths[name] = textOf(files.source(file));
  });
  return paths;
}

/**
 * With --on-error fail nothing may be skipped. @throws MinHashError INPUT_REFUSED with the first skipped location in
 * reading order
 */
export function refuseSkipped({ onError }: Pick<ResultParams, 'onError'>, skipped: SkipList): void {
  if (onError !== 'fail' || skipped.length === 0) return;
  const { place, code } = skipped.first();
  throw refusal(place, SKIP_CODES[code]!);
}

/** Locations that were skipped while inputs were listed, in columns. */
export function skipListOf(skipped: Inputs['skipped']): SkipList {
  const list = new SkipList();
  for (const { place, code } of skipped) list.addBinary(place, code);
  return list;
}

/** The same. @throws MinHashError INPUT_REFUSED with --on-error fail */
export function skippedInputs(inputs: Pick<Inputs, 'skipped'>, params: ResultParams): SkipList {
  const list = skipListOf(inputs.skipped);
  refuseSkipped(params, list);
  return list;
}

/** The error of a run or filter that must not skip a location. */
export function refusal(place: string, code: ErrorCode): MinHashError {
  const message = ({ text, remedy }: { text: string; remedy: string }): string =>
    `${place}: ${text} (${remedy})`;
  const detail = message(entryInCode(code));
  return new MinHashError({ code: 'INPUT_REFUSED', detail, typed: message(ERRORS[code]) });
}
