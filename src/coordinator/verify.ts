/**
 * Exact verification of candidate pairs. Their documents are read once more and become shingle sets, in shared memory
 * or in files. Each pair then gets the number of common elements, from which its Jaccard similarity follows.
 */
import { NOT_COMPARED } from '../../reducers/intersections.js';
import { numbersBelow } from '../arrays/growable.js';
import { newArray } from '../arrays/ownPages.js';
import { type Block, decodeBlock, encodeBlock, typedColumns } from '../blocks/block.js';
import { NAMES, ONE } from '../blocks/names.js';
import { MinHashError } from '../errors.js';
import { isOfFiles } from '../readers/split.js';
import { sizeText } from '../store/sizeText.js';
import { writeWorkFile } from '../store/workFiles.js';
import type { SetFile } from '../tasks/setSource.js';
import type { Run } from './context.js';
import type { BatchTables } from './documentList.js';
import type { NumberedDocuments } from './number.js';
import type { AgreeingNumbers, PairList, PairPart } from './pairList.js';
import { setRanges } from './setRanges.js';
import { type InputFiles, inputsOf, type Source, type SourceBatch } from './sketch/source.js';

/** Sizes of the sets of candidate pairs. Those of their intersections are in the list of pairs. */
export interface ExactSizes {
  /** By document number: distinct elements of its set; 0 if it was not read. */
  readonly sizes: Uint32Array;
  /** Documents that were read a second time. */
  readonly documentsReadAgain: number;
}

/** The batches of a run that can be read once more. */
export interface ReadableBatches {
  readonly batches: readonly SourceBatch[];
  readonly source: {
    again: Source['again'];
    /** Null: documents in memory. */
    readonly input: Pick<InputFiles, 'splitOf'> | null;
  };
  /** The location of a document, for messages. */
  locationOf(row: number): string;
  /** Sets that no task reads: those of the last batch, by position in it. An empty one is not known. */
  readonly indexSets?:
    | ((documents: Uint32Array) => Promise<{ readonly counts: Uint32Array; readonly hashes: Uint32Array }>)
    | null;
}

/** Documents that are read once more. */
interface NeededSets {
  /** The rows, ascending: set s is of row `rows[s]`. */
  readonly rows: Uint32Array;
  /** By batch: its first set; the last entry is the number of sets. */
  readonly starts: Uint32Array;
}

/** The rows of the pairs with at least `least` equal slots, ascending. */
function agreeingRows({ agreement, count }: AgreeingNumbers, least: number): Uint32Array {
  let neededRows = 0;
  for (let i = 0; i < count; i++) neededRows += agreement[i]! >= least ? 1 : 0;
  const rows = newArray(Uint32Array, neededRows);
  for (let i = 0, row = 0; row < neededRows; i++) if (agreement[i]! >= least) rows[row++] = i;
  return rows;
}

/**
 * Bytes of the sets in a range of pairs: enough to be worth a task, and small enough to be held at once. The sets of larger components
 * are numbered in several tasks.
 */
const USUAL_RANGE = 8 << 20;
const LARGEST_RANGE = 192 << 20;

/** Copies of a pair of sets that a task holds: as read, and numbered or sorted. */
const PAIR_COPIES = 3;

/**
 * Compares the sets of all pairs with at least `margin` equal slots.
 *
 * @throws MinHashError INPUT_LOST with a document whose content changed since the first reading, MEMORY_BUDGET if two
 * sets do not fit in a task
 */
export async function exactSizes(
  run: Run,
  tables: BatchTables,
  { numberOf, rowOf, documents }: Pick<NumberedDocuments, 'numberOf' | 'rowOf' | 'documents'>,
  reading: ReadableBatches,
  pairs: PairList,
  margin: number,
): Promise<ExactSizes> {
  const sizes = new Uint32Array(documents);
  const rowOfNumber = (number: number): number => (rowOf === null ? number : rowOf[number]!);
  const isNeeded = new Uint8Array(documents);
  let total = 0;
  for (const { a, b, agreement, count } of pairs.parts())
    for (let i = 0; i < count; i++) {
      if (agreement[i]! < margin) continue;
      isNeeded[rowOfNumber(a[i]!)] = 1;
      isNeeded[rowOfNumber(b[i]!)] = 1;
      total++;
    }
  if (total === 0) {
    await pairs.compare(async ({ count }) => new Uint32Array(count).fill(NOT_COMPARED));
    return { sizes, documentsReadAgain: 0 };
  }
  const needed = neededSets(tables, isNeeded);
  const folder = run.storage.folderOfSets(setBytes(tables, needed));
  const blocks = await run.stage('sets', () => readAgain(run, tables, needed, reading, folder));
  // By row of the corpus: the number of its set.
  const setOf = new Uint32Array(documents);
  for (let set = 0; set < needed.rows.length; set++) setOf[needed.rows[set]!] = set;
  let done = 0;
  const comparePart = async (pairs: PairPart): Promise<Uint32Array> => {
    const rows = agreeingRows(pairs, margin);
    const a = rows.map((row) => setOf[rowOfNumber(pairs.a[row]!)]!);
    const b = rows.map((row) => setOf[rowOfNumber(pairs.b[row]!)]!);
    const common = new Uint32Array(pairs.count).fill(NOT_COMPARED);
    for await (const part of compared(run, { a, b }, needed, blocks, folder)) {
      for (let i = 0; i < part.rows.length; i++) {
        const row = part.rows[i]!;
        const isKnown =
          reading.indexSets == null || (blocks.counts[a[row]!]! > 0 && blocks.counts[b[row]!]! > 0);
        if (isKnown) common[rows[row]!] = part.common[i]!;
      }
      for (let i = 0; i < part.sets.length; i++) {
        const row = needed.rows[part.sets[i]!]!;
        sizes[numberOf === null ? row : numberOf[row]!] = part.sizes[i]!;
      }
      done += part.rows.length;
      run.progress(done, total, 'pairs');
    }
    return common;
  };
  await run.stage('verify', async () => {
    await pairs.compare(comparePart);
    run.balance('pairs at or above the cutoff', total, { compared: done });
  });
  for (const { name } of blocks.files) if (folder === null && name !== '') run.engine.store.delete(name);
  return { sizes, documentsReadAgain: needed.rows.length };
}

/** @param isNeeded by row: 1 if it is read once more */
function neededSets({ starts }: BatchTables, isNeeded: Uint8Array): NeededSets {
  const rows = numbersBelow(isNeeded.length).filter((row) => isNeeded[row] === 1);
  const setStarts = new Uint32Array(starts.length);
  for (let batch = 0, set = 0; batch < starts.length; batch++) {
    while (set < rows.length && rows[set]! < starts[batch]!) set++;
    setStarts[batch] = set;
  }
  return { rows, starts: setStarts };
}

/** The batches with needed documents, ascending. */
function neededBatches({ starts }: NeededSets): number[] {
  const batches: number[] = [];
  for (let batch = 0; batch + 1 < starts.length; batch++)
    if (starts[batch + 1]! > starts[batch]!) batches.push(batch);
  return batches;
}

/** Bytes of all needed sets, with repetitions. */
function setBytes(tables: BatchTables, needed: NeededSets): number {
  let hashes = 0;
  for (const batch of neededBatches(needed)) {
    const { occurrences } = tables.facts[batch]!;
    for (let set = needed.starts[batch]!; set < needed.starts[batch + 1]!; set++)
      hashes += occurrences[needed.rows[set]! - tables.starts[batch]!]!;
  }
  return 8 * hashes;
}

/** Where the sets are. */
interface SetBlocks {
  /** By batch: its block of sets; without a name if it has none. */
  readonly files: readonly SetFile[];
  /** By set: the number of its hashes. */
  readonly counts: Uint32Array;
}

/** The sets of some documents of a batch, in the order of their rows. */
export interface SetsOfBatch {
  readonly rows: Uint32Array;
  /** By set: the number of its hashes, in text order, with repetitions. */
  readonly counts: Uint32Array;
  /** Two words per hash. */
  readonly hashes: Uint32Array;
}

/**
 * Reads documents once more and yields their sets batch by batch; sets are not kept.
 *
 * @param isNeeded by row: 1 if it is read
 * @throws MinHashError INPUT_LOST with a document whose content changed since the first reading
 */
export function readSets(
  run: Run,
  tables: BatchTables,
  isNeeded: Uint8Array,
  reading: ReadableBatches,
  take: (sets: SetsOfBatch) => void,
): Promise<void> {
  const { store } = run.engine;
  const needed = neededSets(tables, isNeeded);
  return run.stage('sets', async () => {
    await readAgain(run, tables, needed, reading, null, (k, counts) => {
      const name = NAMES.sets(k);
      const { hashes } = typedColumns(decodeBlock(store.get(name), 'shingleSets'), { hashes: 'u32' });
      take({ rows: needed.rows.subarray(needed.starts[k]!, needed.starts[k + 1]!), counts, hashes });
      store.delete(name);
    });
  });
}

/** The second reading: a task per batch. `onBatch` is called for each batch, in reading order. */
async function readAgain(
  run: Run,
  tables: BatchTables,
  needed: NeededSets,
  reading: ReadableBatches,
  folder: string | null,
  onBatch: (batch: number, counts: Uint32Array) => void = () => {},
): Promise<SetBlocks> {
  const { store } = run.engine;
  const files = reading.batches.map((): SetFile => ({ name: '', at: 0 }));
  const counts = new Uint32Array(needed.rows.length);
  let done = 0;
  const readBatch = async (batch: SourceBatch): Promise<number> => {
    const { block: k, split, text, label } = batch;
    const name = { wanted: NAMES.wanted(k), sets: NAMES.sets(k), counts: NAMES.setCounts(k) };
    run.put(name.wanted, neededBlock(tables, needed, k));
    const { bytes, changed, at } = await run.withText(batch, () =>
      run.task({
        kind: 'setsOfBatch',
        label,
        params: { ...name, split, text, folder },
        inputs: inputsOf(batch, name.wanted, run.params.ignore === undefined ? null : ONE.ignored),
      }),
    );
    store.delete(name.wanted);
    const [from, to] = [needed.starts[k]!, needed.starts[k + 1]!];
    if (changed !== null) {
      const detail = reading.locationOf(needed.rows[from + changed]!);
      throw new MinHashError({ code: 'INPUT_LOST', detail });
    }
    files[k] = { name: name.sets, at };
    counts.set(typedColumns(decodeBlock(store.get(name.counts)), { counts: 'u32' }).counts, from);
    store.delete(name.counts);
    done += to - from;
    run.progress(done, needed.rows.length, 'documents', bytes);
    return k;
  };
  for await (const k of run.each(batchTexts(tables, needed, reading), readBatch))
    onBatch(k, counts.subarray(needed.starts[k]!, needed.starts[k + 1]!));
  const last = indexBatch(reading);
  if (last >= 0 && needed.starts[last + 1]! > needed.starts[last]!) {
    const [from, to] = [needed.starts[last]!, needed.starts[last + 1]!];
    const sets = await reading.indexSets!(
      needed.rows.slice(from, to).map((row) => row - tables.starts[last]!),
    );
    const block = encodeBlock('shingleSets', {}, sets, true);
    const name = NAMES.sets(last);
    if (folder === null) run.put(name, block);
    else writeWorkFile(folder, name, block);
    files[last] = { name, at: block.columns.hashes!.byteOffset };
    counts.set(sets.counts, from);
    done += to - from;
  }
  run.balance('documents to read again', needed.rows.length, { read: done });
  return { files, counts };
}

/** The batch whose sets are in memory; -1: none. */
function indexBatch({ batches, indexSets }: ReadableBatches): number {
  return indexSets == null ? -1 : batches.length - 1;
}

/** The batches with needed documents. Of small files only the needed ones are opened. */
async function* batchTexts(
  tables: BatchTables,
  needed: NeededSets,
  reading: ReadableBatches,
): AsyncGenerator<SourceBatch> {
  const { batches, source } = reading;
  const others: SourceBatch[] = [];
  for (const k of neededBatches(needed)) {
    if (k === indexBatch(reading)) continue;
    const batch = batches[k]!;
    if (!isOfFiles(batch.split)) {
      others.push(batch);
      continue;
    }
    const { file } = tables.facts[k]!;
    const files = new Set<number>();
    for (let set = needed.starts[k]!; set < needed.starts[k + 1]!; set++)
      files.add(file[needed.rows[set]! - tables.starts[k]!]!);
    yield { block: k, ...source.input!.splitOf(Uint32Array.from(files)) };
  }
  yield* source.again(others);
}

/** The positions of the needed documents of a batch, and their content keys. */
function neededBlock(tables: BatchTables, { rows, starts }: NeededSets, batch: number): Block {
  const { file, record, unit } = tables.facts[batch]!;
  const { contentKey } = tables.table(batch).columns;
  const neededRows = rows.subarray(starts[batch]!, starts[batch + 1]!);
  const at = Array.from(neededRows, (row) => row - tables.starts[batch]!);
  const keys = new Uint32Array(4 * at.length);
  for (const [i, column] of at.entries())
    for (let word = 0; word < 4; word++) keys[4 * i + word] = contentKey![4 * column + word]!;
  return encodeBlock(
    'documents',
    {},
    {
      file: Uint32Array.from(at, (column) => file[column]!),
      record: Float64Array.from(at, (column) => record[column]!),
      ...(unit !== null && { unit: Float64Array.from(at, (column) => unit[column]!) }),
      contentKey: keys,
    },
  );
}

/** The pairs of a task, their sets, and the result. */
interface ComparedRange {
  /** Rows of the pairs of sets. */
  readonly rows: Uint32Array;
  readonly common: Uint32Array;
  /** Numbers of sets, ascending. */
  readonly sets: Uint32Array;
  readonly sizes: Uint32Array;
}

/** Compares the pairs of sets range after range, with a task per range. */
async function* compared(
  run: Run,
  pairs: { readonly a: Uint32Array; readonly b: Uint32Array },
  { starts }: NeededSets,
  { files, counts }: SetBlocks,
  folder: string | null,
): AsyncGenerator<ComparedRange> {
  const { engine, budget } = run;
  const room = budget.task / PAIR_COPIES;
  // Nothing else takes memory while sets are compared, so a pair may take the whole share of its worker.
  const largest = Math.max(room, budget.data / Math.max(1, engine.parallelism) / PAIR_COPIES);
  refuseLarge(run, pairs, counts, largest);
  // By set: its batch, and its first hash in the block of that batch.
  const from = new Float64Array(counts.length);
  const batchOf = new Uint32Array(counts.length);
  for (let batch = 0; batch + 1 < starts.length; batch++) {
    for (let set = starts[batch]!, hash = 0; set < starts[batch + 1]!; hash += counts[set++]!) {
      from[set] = hash;
      batchOf[set] = batch;
    }
  }
  const local = new Uint32Array(counts.length);
  const most = Math.min(LARGEST_RANGE, largest);
  const ranges = setRanges(pairs, counts, { usual: Math.min(USUAL_RANGE, room), most });
  let task = 0;
  const compare = async (rows: Uint32Array): Promise<ComparedRange> => {
    const name = { pairs: NAMES.exact(task), common: NAMES.common(task) };
    task++;
    const sets = setsOf(pairs, rows);
    for (let i = 0; i < sets.length; i++) local[sets[i]!] = i;
    const batches = [...new Set(sets.map((set) => batchOf[set]!))];
    const blockOf = new Map(batches.map((batch, block) => [batch, block]));
    const columns = {
      a: rows.map((row) => local[pairs.a[row]!]!),
      b: rows.map((row) => local[pairs.b[row]!]!),
      block: sets.map((set) => blockOf.get(batchOf[set]!)!),
      from: Float64Array.from(sets, (set) => from[set]!),
      counts: sets.map((set) => counts[set]!),
    };
    run.put(name.pairs, encodeBlock('pairs', {}, columns));
    const used = batches.map((batch) => files[batch]!);
    await run.task({
      kind: 'commonOfPairs',
      label: `${rows.length} pairs of ${sets.length} documents`,
      params: { ...name, files: used, folder },
      inputs: [name.pairs, ...(folder === null ? used.map((file) => file.name) : [])],
    });
    const comparison = typedColumns(decodeBlock(engine.store.get(name.common)), {
      common: 'u32',
      sizes: 'u32',
    });
    for (const used of Object.values(name)) engine.store.delete(used);
    return { rows, sets, ...comparison };
  };
  yield* run.each(ranges, compare);
}

/** The sets of some pairs, ascending. */
function setsOf(
  { a, b }: { readonly a: Uint32Array; readonly b: Uint32Array },
  rows: Uint32Array,
): Uint32Array {
  const sets = new Uint32Array(2 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    sets[2 * i] = a[rows[i]!]!;
    sets[2 * i + 1] = b[rows[i]!]!;
  }
  sets.sort();
  let count = 0;
  for (let i = 0; i < sets.length; i++) if (i === 0 || sets[i] !== sets[i - 1]) sets[count++] = sets[i]!;
  return sets.subarray(0, count);
}

/** @throws MinHashError MEMORY_BUDGET if the sets of a pair are larger than `room`, the bytes that a worker may hold */
function refuseLarge(
  { budget, engine }: Run,
  { a, b }: { readonly a: Uint32Array; readonly b: Uint32Array },
  counts: Uint32Array,
  room: number,
): void {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, 8 * (counts[a[i]!]! + counts[b[i]!]!));
  if (most <= room) return;
  const more = PAIR_COPIES * Math.max(1, engine.parallelism) * (most - room);
  const enough = Math.ceil((budget.total + more) / 1e6) + 1;
  const detail =
    `the shingle sets of a pair take ${sizeText(most)}, and a worker has room for ${sizeText(room)}; ` +
    `--memory ${enough}MB has room for them`;
  throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
}
