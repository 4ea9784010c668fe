/** Data pages of both versions as they are unpacked: levels by entry, and where the values stand in their encoding. */
import { levelsIn } from '../../../../readers/formats/parquet/leafCursor.js';
import { unpackedPage } from '../../../../readers/formats/parquet/pageCodecs.js';
import { DATA_PAGE, DATA_PAGE_V2, type PageHeader } from '../../../../readers/formats/parquet/pageWindow.js';
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import type { FilteredColumn, PageLevels } from './pageLevels.js';

/** Entries of one page; writers end pages at some 20,000. */
const MOST_ENTRIES = 1 << 24;

/** Levels as runs, the only form that is read and written. */
const RLE = 3;

/** A page that is unpacked: its values stand behind `at`. */
export interface OpenedPage extends PageLevels {
  readonly bytes: Uint8Array;
  readonly at: number;
}

export function isDataPage({ kind }: PageHeader): boolean {
  return kind === DATA_PAGE || kind === DATA_PAGE_V2;
}

/** Field of the facts of a data page that has the encoding of its values. */
export const encodingField = (kind: number): number => (kind === DATA_PAGE ? 2 : 4);

export const encodingOf = ({ kind, facts }: PageHeader): number => facts!.number(encodingField(kind));

/** Entries of a data page. @throws ParquetFault where the chunk has no more so many */
export function entriesOf(header: PageHeader, left: number): number {
  const count = header.facts!.count(1);
  if (count > left) throw new ParquetFault();
  if (count > MOST_ENTRIES) throw new ParquetFault('TOO_LARGE');
  return count;
}

/** Rows of a data page, as far as they are known before it is unpacked. */
export function rowsOf({ kind, facts }: PageHeader, { repeated }: FilteredColumn): number | null {
  if (kind === DATA_PAGE_V2) return facts!.count(3);
  return repeated === 0 ? facts!.count(1) : null;
}

/** @param data of the page, packed. @throws ParquetFault */
export function openedPage(
  header: PageHeader,
  data: Uint8Array,
  column: FilteredColumn,
  codec: number,
): OpenedPage {
  return header.kind === DATA_PAGE
    ? openedV1(header, data, column, codec)
    : openedV2(header, data, column, codec);
}

function openedV1(
  { facts, unpacked }: PageHeader,
  data: Uint8Array,
  { defined, repeated }: FilteredColumn,
  codec: number,
): OpenedPage {
  const count = facts!.count(1);
  const bytes = unpackedPage(codec, data, unpacked);
  let at = 0;
  const levels = (most: number, encoding: number): Uint8Array | null => {
    if (most === 0) return null;
    if (facts!.number(encoding) !== RLE) throw new ParquetFault('PARQUET_ENCODING');
    if (at + 4 > bytes.length) throw new ParquetFault();
    const length = new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
    at += 4 + length;
    return levelsIn(bytes, at - length, at, most, count);
  };
  const repetitions = levels(repeated, 4);
  const definitions = levels(defined, 3);
  return { count, repetitions, definitions, bytes, at };
}

function openedV2(
  { facts, unpacked }: PageHeader,
  data: Uint8Array,
  { defined, repeated }: FilteredColumn,
  codec: number,
): OpenedPage {
  const count = facts!.count(1);
  const first = facts!.count(6);
  const from = first + facts!.count(5);
  if (from > data.length || from > unpacked) throw new ParquetFault();
  const repetitions = repeated === 0 ? null : levelsIn(data, 0, first, repeated, count);
  const definitions = defined === 0 ? null : levelsIn(data, first, from, defined, count);
  const bytes = unpackedPage(facts!.isTrue(7, true) ? codec : 0, data.subarray(from), unpacked - from);
  return { count, repetitions, definitions, bytes, at: 0 };
}
