/**
 * The texts of eliminated shingles, each from the document in which it was met first.
 *
 * Floor 4. For the list alone: nothing else depends on them. Column blocks without a first occurrence are not read.
 */
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { ByteColumn } from '../blocks/growable.js';
import type { IdTable } from '../blocks/idTable.js';
import type { Documents } from './documents.js';
import type { Eliminated } from './elimination.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { ColumnBlock } from './sketching.js';
import { runReading } from './unprocessable.js';

/** Of so many at most, the most frequent: a text is an object here, and nobody reads a longer list. */
const MOST_TEXTS = 100_000;

/** Rows of the eliminated shingles by column block, within one by column. */
function rowsByBlock({ blocks, columns, documents }: Eliminated): Map<number, number[]> {
  const order = Uint32Array.from(documents, (_, row) => row);
  order.sort((x, y) => documents[y]! - documents[x]! || x - y);
  const rows = new Map<number, number[]>();
  for (const row of order.subarray(0, MOST_TEXTS)) {
    const list = rows.get(blocks[row]!);
    if (list === undefined) rows.set(blocks[row]!, [row]);
    else list.push(row);
  }
  for (const list of rows.values()) list.sort((x, y) => columns[x]! - columns[y]! || x - y);
  return rows;
}

/** The texts in the order of the shingles; empty where the document is not what it was. */
export async function eliminatedTexts(
  run: Run,
  documents: Documents,
  eliminated: Eliminated,
): Promise<IdTable> {
  const rows = rowsByBlock(eliminated);
  const texts: Uint8Array[] = Array.from(eliminated.documents, () => new Uint8Array(0));
  let left = rows.size;
  const results = inOrder(documents.first(), 2 * run.engine.parallelism, async (block) => {
    const wanted = rows.get(block.block);
    if (wanted !== undefined) await textsOf(run, block, eliminated, wanted, texts);
    if (block.text !== null && block.keepText !== true) run.engine.store.delete(block.text);
    return wanted !== undefined;
  });
  for await (const isRead of results) if (isRead && --left === 0) break;
  const bytes = new ByteColumn();
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, row) => {
    bytes.append(text);
    offsets[row + 1] = bytes.length;
  });
  return { offsets, bytes: bytes.view.slice() };
}

/** Fills in the texts of the rows that are in one column block. */
async function textsOf(
  run: Run,
  { block, source, text, label }: ColumnBlock,
  eliminated: Eliminated,
  rows: readonly number[],
  texts: Uint8Array[],
): Promise<void> {
  const wanted = `wantedTexts/${block}`;
  const name = `shingleTexts/${block}`;
  const hashes = new Uint32Array(2 * rows.length);
  const columns = new Uint32Array(rows.length);
  rows.forEach((row, i) => {
    hashes[2 * i] = eliminated.hashes[2 * row]!;
    hashes[2 * i + 1] = eliminated.hashes[2 * row + 1]!;
    columns[i] = eliminated.columns[row]!;
  });
  run.put(wanted, encodeBlock('shingleCounts', {}, { hashes, columns }));
  await runReading(run, {
    stage: 'texts',
    label,
    params: { name, source: source as unknown as Record<string, never>, text, wanted },
    inputs: text === null ? [wanted] : [text, wanted],
  });
  const { offsets, bytes } = decodeBlock(run.engine.store.get(name), 'shingleCounts', name).columns;
  rows.forEach((row, i) => {
    texts[row] = (bytes as Uint8Array).slice(offsets![i]!, offsets![i + 1]!);
  });
  run.engine.store.delete(name);
  run.engine.store.delete(wanted);
}
