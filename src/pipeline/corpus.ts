/**
 * The corpus as one list: document tables of all column blocks -> ids in byte order, and a number for every document.
 *
 * A document's number is its rank in id order, so "first in id order" is everywhere the smaller number, and whatever is
 * sorted by number is sorted by id.
 *
 * Floor 4.
 */
import { type Block, decodeBlock } from '../blocks/block.js';
import { EMPTY, HAS_ID, REPAIRED, WHOLE_FILE } from '../blocks/documents.js';
import { ByteColumn, Uint32Column } from '../blocks/growable.js';
import { compareIds, type IdTable, idOrder } from '../blocks/idTable.js';
import { SKIP_CODES } from '../errors.js';
import type { Run } from './run.js';
import type { SketchedBlock } from './sketching.js';
import type { SkipList } from './skipped.js';

export interface Corpus {
  /** Documents n, without those skipped. */
  readonly documents: number;
  /** Ids in byte order, by document number. In shared memory. */
  readonly ids: IdTable;
  /** Where document d stands: column block and column. */
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  /** 1: no tokens. */
  readonly empty: Uint8Array;
  /** Four uint32 a document. */
  readonly contentKeys: Uint32Array;
  readonly tables: readonly Block[];
  readonly counts: CorpusCounts;
  /** Skips that say again what an earlier block said: a file that cannot be read fails in each of its byte ranges. */
  readonly skipsRepeated: number;
}

export interface CorpusCounts {
  /** Documents met: those of the corpus and those skipped because of their id. */
  readonly read: number;
  readonly empty: number;
  readonly repaired: number;
  readonly shingleOccurrences: number;
}

/** Names of documents and places: `file`, `file#line` (from 1) or `file#index` (from 0); binary strings. */
class PlaceNames {
  private readonly fileIds: readonly string[];

  /** `fileIds`: ids of the input files, binary strings, by number of the file. */
  constructor(fileIds: readonly string[]) {
    this.fileIds = fileIds;
  }

  /** `firstLine`: the line the source begins with, null where records are not lines. */
  of(file: number, record: number, firstLine: number | null): string {
    const id = this.fileIds[file] ?? MEMORY_ID;
    if (record === WHOLE_FILE) return id;
    return `${id}#${firstLine === null ? record : firstLine + record + 1}`;
  }
}

/** Where documents given in memory stand; only a repeated id is ever named by it. */
const MEMORY_ID = 'memory';

interface Collected {
  readonly ids: ByteColumn;
  readonly offsets: Uint32Column;
  readonly blockOf: Uint32Column;
  readonly columnOf: Uint32Column;
}

/** The number of the first line of each block's source; null where records are not lines. */
function firstLines(blocks: readonly SketchedBlock[]): (number | null)[] {
  const next = new Map<number, number>();
  return blocks.map(({ source, report }) => {
    if (source.kind === 'chunk') return source.firstLine;
    if (source.kind !== 'range') return null;
    const first = next.get(source.index) ?? 0;
    next.set(source.index, first + report.lines);
    return first;
  });
}

/**
 * Numbers the documents of all blocks. Of documents with equal ids the first by (path, record) stays; the others are
 * added to `skipped` under the name of their place.
 */
export function assembleCorpus(
  run: Run,
  blocks: readonly SketchedBlock[],
  fileIds: readonly string[],
  skipped: SkipList,
): Corpus {
  const tables = blocks.map((block) =>
    decodeBlock(run.engine.store.get(`documents/${block.block}`), 'documents', block.label),
  );
  const lines = firstLines(blocks);
  const places = new PlaceNames(fileIds);
  const collected: Collected = {
    ids: new ByteColumn(),
    offsets: new Uint32Column(),
    blockOf: new Uint32Column(),
    columnOf: new Uint32Column(),
  };
  collected.offsets.push(0);
  const named = new Set<string>();
  let skipsRepeated = 0;
  blocks.forEach((block, k) => {
    collectIds(block, tables[k]!, lines[k]!, places, collected);
    skipsRepeated += collectSkipped(tables[k]!, lines[k]!, places, named, skipped);
  });
  const all: IdTable = { offsets: collected.offsets.view, bytes: collected.ids.view };
  const order = idOrder(all);
  sortEqualIds(all, order, (row) => {
    const file = tables[collected.blockOf.view[row]!]!.columns.file as Uint32Array;
    return file[collected.columnOf.view[row]!]!;
  });
  const kept = new Uint32Column();
  for (let i = 0; i < order.length; i++) {
    const row = order[i]!;
    if (i > 0 && compareIds(all, kept.view[kept.length - 1]!, row) === 0) {
      const k = collected.blockOf.view[row]!;
      const { file, record } = tables[k]!.columns;
      const column = collected.columnOf.view[row]!;
      skipped.addBinary(places.of(file![column]!, record![column]!, lines[k]!), 'DUPLICATE_ID');
    } else {
      kept.push(row);
    }
  }
  return { ...numbered(all, kept.view, collected, tables, order.length), skipsRepeated };
}

/**
 * Puts rows of equal ids in the order of their files. Rows ascend with the blocks, which is the order of
 * records within a file, but not of files: files of one document are gathered in groups that close after
 * lines files between them.
 */
function sortEqualIds(ids: IdTable, order: Uint32Array, fileOf: (row: number) => number): void {
  let start = 0;
  for (let i = 1; i <= order.length; i++) {
    if (i < order.length && compareIds(ids, order[start]!, order[i]!) === 0) continue;
    if (i - start > 1) order.subarray(start, i).sort((p, q) => fileOf(p) - fileOf(q) || p - q);
    start = i;
  }
}

function collectIds(
  block: SketchedBlock,
  table: Block,
  firstLine: number | null,
  places: PlaceNames,
  out: Collected,
): void {
  const { file, record, flags, idBytes, idOffsets } = table.columns;
  for (let column = 0; column < flags!.length; column++) {
    if (flags![column]! & HAS_ID) {
      out.ids.append((idBytes as Uint8Array).subarray(idOffsets![column]!, idOffsets![column + 1]!));
    } else {
      out.ids.appendBinary(places.of(file![column]!, record![column]!, firstLine));
    }
    out.offsets.push(out.ids.length);
    out.blockOf.push(block.block);
    out.columnOf.push(column);
  }
}

/** Adds what a block skipped; returns how many skips of whole files were named before. */
function collectSkipped(
  table: Block,
  firstLine: number | null,
  places: PlaceNames,
  named: Set<string>,
  skipped: SkipList,
): number {
  const { skipFile, skipRecord, skipCode, skipIdBytes, skipIdOffsets } = table.columns;
  let repeated = 0;
  for (let i = 0; i < skipCode!.length; i++) {
    if (skipRecord![i] === WHOLE_FILE) {
      const key = `${skipFile![i]} ${skipCode![i]}`;
      if (named.has(key)) {
        repeated++;
        continue;
      }
      named.add(key);
    }
    const from = skipIdOffsets![i]!;
    const to = skipIdOffsets![i + 1]!;
    const code = SKIP_CODES[skipCode![i]!]!;
    if (to > from) skipped.add((skipIdBytes as Uint8Array).subarray(from, to), code);
    else skipped.addBinary(places.of(skipFile![i]!, skipRecord![i]!, firstLine), code);
  }
  return repeated;
}

const sharedU32 = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * length));
const sharedU8 = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

function numbered(
  all: IdTable,
  kept: Uint32Array,
  collected: Collected,
  tables: readonly Block[],
  read: number,
): Omit<Corpus, 'skipsRepeated'> {
  const n = kept.length;
  let idBytes = 0;
  for (const row of kept) idBytes += all.offsets[row + 1]! - all.offsets[row]!;
  const ids: IdTable = { offsets: sharedU32(n + 1), bytes: sharedU8(idBytes) };
  const blockOf = sharedU32(n);
  const columnOf = sharedU32(n);
  const empty = sharedU8(n);
  const contentKeys = sharedU32(4 * n);
  const counts = { read, empty: 0, repaired: 0, shingleOccurrences: 0 };
  for (let d = 0; d < n; d++) {
    const row = kept[d]!;
    const id = all.bytes.subarray(all.offsets[row]!, all.offsets[row + 1]!);
    ids.bytes.set(id, ids.offsets[d]!);
    ids.offsets[d + 1] = ids.offsets[d]! + id.length;
    const k = collected.blockOf.view[row]!;
    const column = collected.columnOf.view[row]!;
    blockOf[d] = k;
    columnOf[d] = column;
    const { flags, contentKey, occurrences } = tables[k]!.columns;
    contentKeys.set((contentKey as Uint32Array).subarray(4 * column, 4 * column + 4), 4 * d);
    if (flags![column]! & EMPTY) {
      empty[d] = 1;
      counts.empty++;
    }
    if (flags![column]! & REPAIRED) counts.repaired++;
    counts.shingleOccurrences += occurrences![column]!;
  }
  return { documents: n, ids, blockOf, columnOf, empty, contentKeys, tables, counts };
}
