/**
 * Adds a portion to an index. The first step of a run computes tables, signatures and sets of its documents in one
 * reading. Batch by batch they become the rows of a segment, so memory does not grow with the portion. Then the segment
 * is looked up in the index, and committed. Documents without tokens are skipped: they resemble nothing.
 */
import type { ByteColumn } from '../../arrays/growable.js';
import { type Block, decodeBlock, typedColumns } from '../../blocks/block.js';
import { AS_TEXT, countsWithoutRow, EMPTY, HAS_ID } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import { type AddedPortion, dateOfDay, dayOf } from '../../index/format.js';
import { type IndexWriter, type OpenedIndex, openedIndex, readSeen } from '../../index/indexFolder.js';
import type { PortionEntry, PortionSources, SegmentEntry } from '../../index/indexManifest.js';
import { type IndexHit, lookUpSegment, lookupRule } from '../../index/lookups.js';
import { mergeFew } from '../../index/merging.js';
import { Segment } from '../../index/segment.js';
import { type SegmentRows, SegmentWriter } from '../../index/segmentWriter.js';
import type { Kernel } from '../../kernel/kernel.js';
import { type FileTable, unnamedFile } from '../../readers/list/fileTable.js';
import { LineNumbers } from '../../readers/split.js';
import type { ResultParams } from '../../sketch/params.js';
import { unitMark } from '../../text/units.js';
import type { Run } from '../context.js';
import { ReadingProgress, type Source } from '../sketch/source.js';
import { sketchedBatches } from '../sketch.js';
import { RepeatedSkips, refuseSkipped, type SkipList } from '../skips.js';
import { IndexSources } from './indexSources.js';

/** A document of an index. */
type SeenDocument = Pick<IndexHit, 'segment' | 'row'>;

/** Called for an added document that resembles documents that were there, best first. */
export type OnNear = (location: () => Uint8Array, hits: readonly IndexHit[], index: OpenedIndex) => void;

interface Portion {
  readonly name: string;
  /** Sorts on this thread. */
  readonly kernel: Kernel;
  /** Documents of the index that were seen, if this is known: then added documents are not looked up. */
  readonly seen?: readonly SeenDocument[];
  readonly onNear?: OnNear | undefined;
  /** For an index without sets. */
  readonly sources?: PortionSources | undefined;
}

/**
 * Adds a portion, and merges segments if there are many.
 *
 * @param fill appends the documents, with the number of the portion; returns how many have no tokens
 * @throws MinHashError of `fill`, INDEX_DAMAGED, WRITE_FAILED, DISK_FULL; the index is unchanged
 */
export async function addPortion(
  writer: IndexWriter,
  { name, kernel, seen: known, onNear, sources: origin }: Portion,
  fill: (segment: SegmentWriter, portion: number) => Promise<number>,
): Promise<AddedPortion> {
  const index = openedIndex(writer.folder);
  const number = writer.take();
  const segmentWriter = new SegmentWriter(writer);
  const today = dayOf(Date.now());
  const seen = new SeenDocuments(writer, index, today);
  try {
    const empty = await fill(segmentWriter, number);
    const documents = segmentWriter.rows;
    const portion: PortionEntry = {
      ...{ number, name, added: dateOfDay(today), documents },
      ...(!writer.manifest.sets && { sources: origin! }),
    };
    let [near, same] = [0, 0];
    let unverified: string | null = null;
    const entries: SegmentEntry[] = [];
    if (known !== undefined) seen.add(known);
    if (documents > 0) {
      const entry = segmentWriter.finish(kernel.sortUnique);
      entries.push(entry);
      const { parameters } = writer.manifest;
      const added = new Segment(writer.folder, entry, 0, parameters, null, index.pending);
      const sources = new IndexSources(index, kernel, portion);
      const read = () => sources.read();
      try {
        const looks = known === undefined && index.segments.length > 0;
        const rule = lookupRule(parameters);
        const resembling = looks ? lookUpSegment(index, added, rule, kernel.sortUnique, read) : [];
        for await (const { record, hits } of resembling) {
          near++;
          if (hits[0]!.kind !== 'near') same++;
          seen.add(hits);
          onNear?.(() => added.names(record).location, hits, index);
        }
        unverified = sources.warning();
      } finally {
        sources.close();
        added.close();
      }
    } else segmentWriter.abandon();
    writer.commit({
      portions: [...writer.manifest.portions, portion],
      segments: [...seen.segments(), ...entries],
    });
    mergeFew(writer);
    return { portion: name, documents, empty, near, same, unverified };
  } catch (error) {
    segmentWriter.abandon();
    throw error;
  } finally {
    index.close();
  }
}

/** The days on which documents of an index were last seen, including today's. */
export class SeenDocuments {
  readonly #writer: IndexWriter;
  readonly #index: OpenedIndex;
  readonly #today: number;
  /** By segment; null: nothing in it was seen today. */
  readonly #days: (Uint16Array | null)[];

  constructor(writer: IndexWriter, index: OpenedIndex, today: number) {
    this.#writer = writer;
    this.#index = index;
    this.#today = today;
    this.#days = index.segments.map(() => null);
  }

  add(hits: readonly SeenDocument[]): void {
    for (const { segment, row } of hits) {
      const i = this.#index.segments.findIndex(({ entry }) => entry.name === segment.entry.name);
      const days = this.#days[i] ?? readSeen(this.#index.folder, segment.entry);
      this.#days[i] = days;
      days[row] = this.#today;
    }
  }

  segments(): SegmentEntry[] {
    return this.#index.segments.map(({ entry }, i) => {
      const days = this.#days[i]!;
      return days === null ? entry : this.#writer.withSeen(entry, days);
    });
  }
}

/** The inputs of a reading. */
interface Reading {
  readonly run: Run;
  readonly source: Source;
  readonly skipped: SkipList;
}

/**
 * Reads documents once and appends them to a segment.
 *
 * @returns the number of documents, of those without tokens, and of records read as texts
 * @throws MinHashError INPUT_REFUSED, TASK_FAILED, WORKER_LOST, INTERRUPTED, WRITE_FAILED, DISK_FULL
 */
export function appendRead(
  segment: SegmentWriter,
  portion: number,
  { run, source, skipped }: Reading,
): Promise<{ readonly documents: number; readonly empty: number; readonly asText: number }> {
  return run.stage('sketch', async () => {
    const { params, engine } = run;
    const files = source.input?.files ?? unnamedFile();
    const skips = new RepeatedSkips(files, skipped, source.input === null);
    const lines = new LineNumbers();
    const progress = new ReadingProgress(run, source);
    let [documents, empty, asText, met, tooShort] = [0, 0, 0, 0, 0];
    for await (const { block: k, split, report } of sketchedBatches(run, source.first())) {
      const names = { table: NAMES.documents(k), signatures: NAMES.signatures(k), sets: NAMES.sets(k) };
      const table = decodeBlock(engine.store.get(names.table), 'documents', names.table);
      const firstLine = lines.firstOf(split, report.lines);
      skips.add(table, firstLine);
      refuseSkipped(params, skipped);
      const { flags } = typedColumns(table, { flags: 'u8' });
      const positions = Uint32Array.from(flags.keys()).filter((i) => (flags[i]! & EMPTY) === 0);
      segment.append({
        ...{ positions, portion, ...tableColumns(table, files, firstLine, params.unit) },
        ...typedColumns(decodeBlock(engine.store.get(names.signatures), 'signatures'), {
          slots: 'u16',
          keys: 'u32',
        }),
        sets: typedColumns(decodeBlock(engine.store.get(names.sets), 'shingleSets'), {
          counts: 'u32',
          hashes: 'u32',
          crcs: 'u32',
        }),
      });
      for (const name of Object.values(names)) engine.store.delete(name);
      documents += flags.length;
      empty += flags.length - positions.length;
      for (const flag of flags) if ((flag & AS_TEXT) !== 0) asText++;
      met += report.documents + report.skipped + (report.tooShort ?? 0);
      tooShort += countsWithoutRow(table).tooShort;
      progress.add(report.bytes);
    }
    source.nameProblems(skipped);
    refuseSkipped(params, skipped);
    run.balance('documents and places', met, { documents, skipped: skips.taken, 'left out': tooShort });
    return { documents, empty, asText };
  });
}

/** The columns that a segment copies from a table of documents. */
export function tableColumns(
  table: Block,
  files: FileTable,
  firstLine: number,
  unit: ResultParams['unit'],
): Omit<SegmentRows, 'positions' | 'portion' | 'slots' | 'keys' | 'sets'> {
  const types = { contentKey: 'u32', textKey: 'u32', file: 'u32', record: 'f64' } as const;
  const { file, record, ...columns } = typedColumns(table, types);
  const { flags, idOffsets, idBytes } = typedColumns(table, { flags: 'u8', idOffsets: 'u32', idBytes: 'u8' });
  const [units, mark] =
    unit === 'document' ? [null, ''] : [typedColumns(table, { unit: 'f64' }).unit, unitMark(unit)];
  return {
    ...columns,
    tokens: table.columns.tokens!,
    textBytes: table.columns.textBytes!,
    appendNames(i: number, out: ByteColumn): number {
      const end = units === null ? '' : mark + units[i]!;
      const before = out.length;
      const isNamed = (flags[i]! & HAS_ID) !== 0 && idOffsets[i + 1]! > idOffsets[i]!;
      if (isNamed) {
        out.append(idBytes.subarray(idOffsets[i]!, idOffsets[i + 1]!));
        out.appendBinary(end);
      }
      const idLength = out.length - before;
      files.appendAddress(file[i]!, record[i]!, firstLine, out);
      out.appendBinary(end);
      return idLength;
    },
  };
}
