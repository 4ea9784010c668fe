/**
 * Adds the documents of a run to an index: its first step makes signatures and keys, a second reading makes sets, and both become a
 * segment. Documents without tokens are left out: they resemble nothing.
 */
import { ByteColumn } from '../../arrays/growable.js';
import { EMPTY, HAS_ID } from '../../blocks/documents.js';
import type { SignatureSource } from '../../blocks/signatures.js';
import { dateOfDay, dayOf } from '../../index/format.js';
import { type IndexWriter, type OpenedIndex, openedIndex, readSeen } from '../../index/indexFolder.js';
import type { PortionEntry, SegmentEntry } from '../../index/indexManifest.js';
import { type IndexHit, lookUp, lookUpMany, lookupRule } from '../../index/lookups.js';
import { mergeFew } from '../../index/merging.js';
import { SegmentWriter, type SetPlace, sortedEntries } from '../../index/segmentWriter.js';
import type { Kernel } from '../../kernel/kernel.js';
import { strideOf } from '../../sketch/signature.js';
import { signaturesOf } from '../agreements.js';
import type { Run } from '../context.js';
import type { Source } from '../sketch/source.js';
import type { Sketched } from '../sketch.js';
import { readSets } from '../verify.js';

/** What was added, and what of it was near what was there. */
export interface AddedPortion {
  readonly portion: string;
  /** Documents that are in the index from now on. */
  readonly documents: number;
  /** Documents without tokens, which are left out. */
  readonly empty: number;
  /** Of the added ones: those that resemble a document that was there, and of these those with the same tokens. */
  readonly near: number;
  readonly same: number;
}

/** A document of an index. */
type SeenDocument = Pick<IndexHit, 'segment' | 'row'>;

/** What is added. */
interface Addition {
  readonly run: Run;
  readonly source: Source;
  readonly sketched: Sketched;
  /** For sorting, on this thread. */
  readonly kernel: Kernel;
  readonly portion: string;
  /** By row, 1: the document is left out. */
  readonly leftOut?: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Documents of the index that were seen, if that is known: added ones are not looked up. */
  readonly seen?: readonly SeenDocument[];
  /** Called for each added document that resembles some that were there, best first. */
  readonly onNear?:
    | ((location: () => Uint8Array, hits: readonly IndexHit[], index: OpenedIndex) => void)
    | undefined;
}

/**
 * Adds a portion, and merges segments if there are many.
 *
 * @throws MinHashError of reading and tasks, INDEX_DAMAGED, WRITE_FAILED, DISK_FULL; the index is then as it was
 */
export async function addDocuments(writer: IndexWriter, addition: Addition): Promise<AddedPortion> {
  const { portion: name, now, sketched } = addition;
  const index = openedIndex(writer.folder);
  const number = writer.take();
  const today = dayOf(now);
  const seen = new SeenDocuments(writer, index, today);
  try {
    if (addition.seen !== undefined) seen.add(addition.seen);
    const made = await segmentOf(writer, index, number, addition, seen);
    const { manifest } = writer;
    const portion: PortionEntry = { number, name, added: dateOfDay(today), documents: made.documents };
    writer.commit({
      portions: [...manifest.portions, portion],
      segments: [...seen.segments(), ...(made.entry === null ? [] : [made.entry])],
    });
    mergeFew(writer);
    const { documents, near, same } = made;
    return { portion: name, documents, empty: sketched.documents.totals.empty, near, same };
  } finally {
    index.close();
  }
}

/** Days on which documents of an index were last seen, with those of today. */
class SeenDocuments {
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

async function segmentOf(
  writer: IndexWriter,
  index: OpenedIndex,
  portion: number,
  { run, source, sketched, kernel, leftOut, onNear, seen: known }: Addition,
  seen: SeenDocuments,
): Promise<{ entry: SegmentEntry | null; documents: number; near: number; same: number }> {
  const { documents, batches } = sketched;
  const isAdded = new Uint8Array(documents.rows);
  for (const [k, { flags }] of documents.facts.entries())
    for (let i = 0, row = documents.starts[k]!; i < flags.length; i++, row++)
      isAdded[row] = (flags[i]! & EMPTY) === 0 && leftOut?.[row] !== 1 ? 1 : 0;
  const count = isAdded.reduce((sum, flag) => sum + flag, 0);
  if (count === 0) return { entry: null, documents: 0, near: 0, same: 0 };
  const signatures = signaturesOf(run, batches);
  const made = new SegmentWriter(
    writer.folder,
    `segment-${writer.take()}`,
    writer.manifest.parameters,
    writer.door,
  );
  try {
    const places: (SetPlace | undefined)[] = [];
    let [near, same] = [0, 0];
    const probe = new RowProbe(signatures, writer.manifest.parameters);
    const rule = lookupRule(writer.manifest.parameters);
    const keyOf = contentKeys(sketched);
    const locationOf = (row: number) => (): Uint8Array => {
      const location = new ByteColumn();
      documents.appendLocation(row, location);
      return location.view;
    };
    const reading = { batches, source, locationOf: (row: number) => documents.locationOf(row) };
    await readSets(run, documents, isAdded, reading, ({ rows, counts, hashes }) => {
      const looks = known === undefined && index.segments.length > 0;
      const many = looks
        ? lookUpMany(index, rows.length, rowKeys(signatures, rows), kernel.sortUnique, rule)
        : null;
      for (let i = 0, from = 0; i < rows.length; from += 2 * counts[i++]!) {
        const row = rows[i]!;
        const set = hashes.subarray(from, from + 2 * counts[i]!);
        const own = set.subarray(0, 2 * kernel.sortUnique(set, counts[i]!));
        places[row] = made.addSet(own);
        if (!looks) continue;
        const document = { ...probe.at(row), ...keyOf(row), set: () => own };
        const hits = many === null ? lookUp(index, document, rule).hits : many(i, document);
        if (hits.length === 0) continue;
        near++;
        if (hits[0]!.kind !== 'near') same++;
        seen.add(hits);
        onNear?.(locationOf(row), hits, index);
      }
    });
    const rowOf = new Uint32Array(count);
    for (let row = 0, next = 0; row < isAdded.length; row++) if (isAdded[row] === 1) rowOf[next++] = row;
    const label = new ByteColumn();
    for (const row of rowOf) {
      const k = documents.batchOf(row);
      const i = row - documents.starts[k]!;
      const { flags, textBytes, tokens } = documents.facts[k]!;
      label.truncate(0);
      if ((flags[i]! & HAS_ID) !== 0) documents.appendId(row, label);
      const id = label.length === 0 ? null : label.view.slice();
      label.truncate(0);
      documents.appendLocation(row, label);
      made.add({
        ...{ slots: probe.slots(row), ...keyOf(row), setPlace: places[row]! },
        ...{ id, location: label.view, portion, textBytes: textBytes?.[i] ?? 0, tokens: tokens[i]! },
      });
    }
    const all = new Uint32Array(documents.rows);
    const keysOf = (band: number, keys: Uint32Array): void => {
      signatures.keys(band, 0, all.length, all, 0);
      for (let i = 0; i < count; i++) keys[i] = all[rowOf[i]!]!;
    };
    const entry = made.finish(sortedEntries(count, keysOf, kernel.sortUnique));
    return { entry, documents: count, near, same };
  } catch (error) {
    made.abandon();
    throw error;
  } finally {
    signatures.close();
  }
}

/** The keys of some rows, ascending, as lookUpMany takes them. */
function rowKeys(signatures: SignatureSource, rows: Uint32Array) {
  const first = rows[0]!;
  const all = new Uint32Array(rows.at(-1)! - first + 1);
  return (band: number, keys: Uint32Array): void => {
    signatures.keys(band, first, all.length, all, 0);
    for (let i = 0; i < rows.length; i++) keys[i] = all[rows[i]! - first]!;
  };
}

/** The content and text keys of documents, mostly asked for by ascending row. */
function contentKeys({ documents }: Sketched) {
  let batch = -1;
  let columns = documents.starts.length > 1 ? documents.table(0).columns : {};
  return (row: number) => {
    const k = documents.batchOf(row);
    if (k !== batch) columns = documents.table(k).columns;
    batch = k;
    const at = 4 * (row - documents.starts[k]!);
    const key = (name: 'contentKey' | 'textKey'): Uint32Array =>
      (columns[name] as Uint32Array).subarray(at, at + 4);
    return { contentKey: key('contentKey'), textKey: key('textKey') };
  };
}

/** Signatures and keys of rows, one at a time; valid until the next call. */
class RowProbe {
  readonly #signatures: SignatureSource;
  readonly #words: Uint32Array;
  readonly #slots: Uint16Array;
  readonly #keys: Uint32Array;
  readonly #order = Uint32Array.of(0, 0);

  constructor(
    signatures: SignatureSource,
    { sketch, banding }: { sketch: { hashes: number }; banding: { bands: number } },
  ) {
    this.#signatures = signatures;
    this.#words = new Uint32Array(strideOf(sketch.hashes) / 2);
    this.#slots = new Uint16Array(this.#words.buffer);
    this.#keys = new Uint32Array(banding.bands);
  }

  slots(row: number): Uint16Array {
    this.#order[1] = row;
    this.#signatures.gather(this.#order, this.#words, 0);
    return this.#slots;
  }

  at(row: number): { readonly slots: Uint16Array; readonly keys: Uint32Array } {
    for (let band = 0; band < this.#keys.length; band++)
      this.#signatures.keys(band, row, 1, this.#keys, band);
    return { slots: this.slots(row), keys: this.#keys };
  }
}
