/**
 * The last stage: columns -> result files, a part a task.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  acceptedRows,
  countAccepted,
  evidenceFrom,
  evidenceOfRows,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import { columnAt } from '../../arrays/chosenRows.js';
import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import { type Block, type Column, encodeBlock, type Layout, newBlock } from '../../blocks/block.js';
import { EMPTY } from '../../blocks/documents.js';
import type { ListedPlaces } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import { LISTED_CODES } from '../../errors.js';
import { LISTED_FLAGS } from '../../output/facts.js';
import { listName, partName } from '../../output/fileNames.js';
import { AgreementTable } from '../../output/tables/agreementTable.js';
import { type NearPairs, planPairParts } from '../../output/tables/pairTable.js';
import { planParts, ROWS_PER_PART, type RowRange } from '../../output/tables/tables.js';
import { listingOf } from '../../sketch/family.js';
import { isScarce, WRITTEN_BYTES } from '../../store/budget.js';
import { bytesAhead, checkRoom, type RowsAhead, withRoom } from '../../store/disk.js';
import { NODE_FILES } from '../../store/fileDoor.js';
import type { WrittenFile } from '../../store/files.js';
import type { WriteTask } from '../../tasks/kinds/writeTasks.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { Outcome } from './clusters.js';

/** In the order of their numbers, and of the names of the codes. */
interface ListedDocuments {
  /** Document numbers. */
  readonly rows: Uint32Array;
  /** Indices into LISTED_CODES. */
  readonly codes: Uint8Array;
}

/** A row, a number and a code, which is copied once for the task that writes it. */
const LISTED_BYTES = 10;

/** @param isSets skips of sets have codes of their own */
function listedDocuments(
  { documents, tables, blockOf, columnOf, empty: isEmpty, counts }: Corpus,
  withdrawn: Uint8Array,
  isSets: boolean,
): ListedDocuments {
  if (counts.listed === 0) return { rows: new Uint32Array(0), codes: new Uint8Array(0) };
  const listed = LISTED_FLAGS.map(({ flag, code, ofSets = code }) => {
    return { flag, code: LISTED_CODES.indexOf(isSets ? ofSets : code) };
  });
  // Hardly any text has a flag but `empty`: a look at the table of each would miss the cache.
  const flagsOf = (d: number): number => {
    if (withdrawn[d] === 1) return 0;
    if (counts.listed > counts.empty) return tables[blockOf[d]!]!.columns.flags[columnOf[d]!]!;
    return isEmpty[d] === 1 ? EMPTY : 0;
  };
  const [rows, codes] = [new Uint32Column(counts.listed), new ByteColumn(counts.listed)];
  for (let d = 0; d < documents; d++) {
    const flags = flagsOf(d);
    if (flags === 0) continue;
    for (const { flag, code } of listed) {
      if ((flags & flag) === 0) continue;
      rows.push(d);
      codes.push(code);
    }
  }
  return { rows: rows.view, codes: codes.view };
}

/** The accepted near pairs with all their evidence, as a block. */
function* nearBlock(verified: VerifiedPairs): Stepwise<{ readonly block: Block; readonly near: NearPairs }> {
  const rows = yield* acceptedRows(verified);
  const count = rows.length;
  const { a, b, agreement, exact } = verified;
  const isShare = agreement instanceof Float64Array;
  const pairs: Layout = { a: ['u32', count], b: ['u32', count], agreement: [isShare ? 'f64' : 'u16', count] };
  const sets: Layout = {
    jaccard: ['f64', count],
    containmentAB: ['f64', count],
    containmentBA: ['f64', count],
  };
  const block = newBlock('pairs', {}, exact === null ? pairs : { ...pairs, ...sets }, true);
  const columns = block.columns as Record<string, never>;
  const near = {
    count,
    a: yield* columnAt(a, rows, columns.a!),
    b: yield* columnAt(b, rows, columns.b!),
    agreement: yield* columnAt(agreement, rows, columns.agreement!),
  };
  if (exact === null) return { block, near: { ...near, exact } };
  const positions = yield* evidenceOfRows(exact, rows);
  const evidence = {
    jaccard: yield* columnAt(exact.jaccard, positions, columns.jaccard!),
    containmentAB: yield* columnAt(exact.containmentAB, positions, columns.containmentAB!),
    containmentBA: yield* columnAt(exact.containmentBA, positions, columns.containmentBA!),
  };
  return { block, near: { ...near, exact: evidence } };
}

/** A part of the candidates: its rows among those that are listed, and the pairs from `first` to `end` that have them. */
interface ListedPart {
  readonly range: RowRange;
  readonly first: number;
  readonly end: number;
}

/** Which pairs are listed. */
type Listing = ReturnType<typeof listingOf>;

/** Takes the listed rows from `first` to `end`, and where the evidence of each is; -1: it has none. */
function eachListed(
  { agreement, accepted, exact }: VerifiedPairs,
  isListed: Listing,
  first: number,
  end: number,
  take: (row: number, evidence: number) => void,
): void {
  let looked = exact === null ? 0 : evidenceFrom(exact, first);
  for (let i = first; i < end; i++) {
    let similarity = Number.NaN;
    let evidence = -1;
    if (exact !== null && exact.rows[looked] === i) {
      evidence = looked++;
      similarity = exact.jaccard[evidence]!;
    }
    if (isListed(accepted[i] === 1, agreement[i]!, similarity)) take(i, evidence);
  }
}

function listedParts(verified: VerifiedPairs, listing: Listing): ListedPart[] {
  const { count } = verified;
  const cuts = [0];
  let listed = 0;
  eachListed(verified, listing, 0, count, (row) => {
    if (listed > 0 && listed % ROWS_PER_PART === 0) cuts.push(row);
    listed++;
  });
  return planParts(listed).map((range) => ({
    range,
    first: cuts[range.part]!,
    end: cuts[range.part + 1] ?? count,
  }));
}

/** The rows of one part of the candidates, with the evidence of these rows, numbered from 0. */
function candidateBlock(verified: VerifiedPairs, { range, first, end }: ListedPart, listing: Listing): Block {
  const { exact } = verified;
  const count = range.to - range.from;
  const pairs: Layout = {
    a: ['u32', count],
    b: ['u32', count],
    agreement: ['u16', count],
    accepted: ['u8', count],
  };
  // Outside exact mode the resemblance is the agreement, and the file has one column for both.
  const sets: Layout = exact === null ? {} : { jaccard: ['f64', count] };
  const block = newBlock('pairs', {}, { ...pairs, ...sets }, true);
  const columns = block.columns as Record<string, Column>;
  let row = 0;
  eachListed(verified, listing, first, end, (i, evidence) => {
    columns.a![row] = verified.a[i]!;
    columns.b![row] = verified.b[i]!;
    columns.agreement![row] = verified.agreement[i]!;
    columns.accepted![row] = verified.accepted[i]!;
    if (exact !== null) columns.jaccard![row] = evidence < 0 ? Number.NaN : exact.jaccard[evidence]!;
    row++;
  });
  return block;
}

/** The content keys of the documents that are not withdrawn and, where some are withdrawn, their numbers. */
function contentsLeft(corpus: Corpus, withdrawn: Uint8Array): Block {
  if (!withdrawn.includes(1)) return corpus.blocks.contentKeys;
  const all = corpus.contentKeys;
  const documents = new Uint32Array(corpus.documents);
  let count = 0;
  for (let d = 0; d < corpus.documents; d++) if (withdrawn[d] === 0) documents[count++] = d;
  const contentKeys = new Uint32Array(4 * count);
  for (let i = 0; i < 4 * count; i++) contentKeys[i] = all[4 * documents[i >>> 2]! + (i & 3)]!;
  return encodeBlock('documents', {}, { documents: documents.subarray(0, count), contentKeys }, true);
}

/** Rows with a column of places: the name of their block, and their documents. */
interface PlacedRows {
  readonly name: string;
  readonly documents: Uint32Array;
}

/** Bytes of a place in columns: its name, its number, and that of a unit. */
const PLACE_BYTES = 20;

/**
 * The places of the rows of result files, as blocks for the tasks that write them.
 *
 * Where the id of every document is its place, there are none: the column of ids is written twice.
 */
class WrittenPlaces {
  private readonly run: Run;
  private readonly places: Corpus['places'];

  /** Puts the prefixes of places, `out/names`, into the store where places are written. */
  constructor(run: Run, { places }: Pick<Corpus, 'places'>) {
    this.run = run;
    this.places = places;
    if (places === null) return;
    const { offsets, bytes } = places.names;
    run.tables.take('ids of files', 4 * offsets.length + bytes.length);
    run.put(NAMES.out('names'), encodeBlock('pairs', {}, { offsets, bytes }, true));
  }

  /** The places of the rows of these documents, which `during` makes a block of. */
  of(table: string, part: number, documents: Uint32Array): PlacedRows | null {
    return this.places === null ? null : { name: NAMES.out('places', table, part), documents };
  }

  /** Makes the block while `write` runs, which is given the inputs of its task. */
  async during<T>(rows: PlacedRows | null, write: (inputs: readonly string[]) => Promise<T>): Promise<T> {
    if (this.places === null || rows === null) return write([]);
    const { name, documents } = rows;
    const { tables, engine } = this.run;
    const bytes = PLACE_BYTES * documents.length;
    tables.take(`places of ${documents.length} rows`, bytes);
    this.run.put(name, encodeBlock('pairs', {}, { ...this.places.of(documents) }, true));
    const written = await write([NAMES.out('names'), name]);
    engine.store.delete(name);
    tables.give(bytes);
    return written;
  }
}

/** The outcome of the last stage; files in the order of the tables. */
export interface Written {
  readonly files: readonly WrittenFile[];
  readonly listed: number;
  /** See digest.ts. */
  readonly contentDigest: string;
}

type Ids = Corpus['ids'];
/** The skips that skipped.tsv lists beside documents that were read. */
interface Listed {
  readonly skipped: ListedPlaces;
  readonly links: ListedPlaces;
}

/** A table, or a part of one, that a task writes. */
interface PlannedTable {
  readonly task: WriteTask;
  /** Those of its rows that were announced. */
  readonly ahead: RowsAhead;
  /** Null: the table has no column of places, or ids are places. */
  readonly placed: PlacedRows | null;
}

/** Tasks in flight beyond one a worker: small tables do not wait for a large one before them. */
const TASKS_AHEAD = 4;

/** Where a task has less memory, the copies of parts that wait for their turn, some 20 MB each, are too much. */
const ROOMY_TASK = 64e6;

/** The parts of candidates and the digest, which workers make while the run goes on. */
interface WrittenCandidates {
  readonly files: Promise<readonly WrittenFile[]>;
  readonly listed: number;
  readonly contentDigest: Promise<string>;
}

/** What is written after clustering. */
interface Finished {
  readonly corpus: Corpus;
  readonly outcome: Outcome;
}

export class ResultWriting {
  private readonly run: Run;
  private readonly root: string;
  /** Bytes of all rows, as far as they are known, and of the rows that no task has begun to write. */
  private needed = 0;
  private left = 0;

  constructor(run: Run, root: string) {
    this.run = run;
    this.root = root;
  }

  /**
   * Candidates are most of the rows, and known before the clusters are, as what was compared is: workers write and digest them
   * meanwhile.
   *
   * @param withdrawn 1: the document is left out
   * @throws MinHashError DISK_FULL where they have no chance to fit
   */
  async candidates(
    corpus: Corpus,
    verified: VerifiedPairs,
    unlisted: Float64Array | null,
    withdrawn: Uint8Array,
  ): Promise<WrittenCandidates> {
    const { run } = this;
    const counted = new AgreementTable(run.family.units);
    await run.turns.through(counted.addAll(verified.agreement, verified.count));
    if (unlisted !== null) counted.addCounts(unlisted);
    const listing = listingOf(run.params);
    const parts = run.params.candidates === 'none' ? [] : listedParts(verified, listing);
    const listed = parts.at(-1)?.range.to ?? 0;
    this.expect(corpus, { candidates: listed });
    run.put(NAMES.out('ids'), corpus.blocks.ids);
    run.put(NAMES.out('contents'), contentsLeft(corpus, withdrawn));
    const contentDigest = digestOf(run);
    const files = this.writeCandidates(verified, parts, listing, corpus.ids, counted);
    // `finish` reports failures; until then they must not end the process as unhandled rejections.
    files.catch(() => {});
    contentDigest.catch(() => {});
    await tasksSent();
    return { files, listed, contentDigest };
  }

  /** A part is copied for its task when its turn comes, and released with it. */
  private async writeCandidates(
    verified: VerifiedPairs,
    parts: readonly ListedPart[],
    listing: Listing,
    ids: Ids,
    counted: AgreementTable,
  ): Promise<WrittenFile[]> {
    const { engine, budget } = this.run;
    const files: WrittenFile[] = [];
    const ahead = budget.task < ROOMY_TASK ? 0 : TASKS_AHEAD;
    const written = this.run.each(
      parts,
      async (part) => {
        const { range } = part;
        const rows = NAMES.out('candidates', range.part);
        this.beginRows(ids, { candidates: range.to - range.from });
        this.run.put(rows, candidateBlock(verified, part, listing));
        const place = this.place(partName('candidates', range.part));
        const file = await writeOne(this.run, { table: 'candidates', place, range, rows }, [rows]);
        engine.store.delete(rows);
        return file;
      },
      { ahead },
    );
    for await (const file of written) files.push(file);
    return [...files, counted.write(this.root)];
  }

  /**
   * Writes the other tables, and waits for all. Meanwhile, or afterwards where memory is scarce, does what is `beside`.
   *
   * @throws MinHashError DISK_FULL with what was needed and is free
   */
  async finish<Beside>(
    { corpus, outcome }: Finished,
    listed: Listed,
    candidates: WrittenCandidates,
    beside: () => Stepwise<Beside>,
  ): Promise<Written & { readonly beside: Beside }> {
    const { verified, clusters, drop, identical } = outcome;
    const { turns } = this.run;
    const accepted = countAccepted(verified);
    this.run.tables.take(`${accepted} accepted pairs to write`, WRITTEN_BYTES * accepted);
    const { block, near } = await turns.through(nearBlock(verified));
    await turns.give();
    const toList = corpus.counts.listed;
    this.run.tables.take(`${toList} documents to list`, LISTED_BYTES * toList);
    const documents = listedDocuments(corpus, outcome.withdrawn, this.run.params.sets !== undefined);
    this.expect(corpus, {
      pairs: near.count,
      clusters: clusters.cluster.length,
      duplicates: drop.document.length,
      listed: documents.rows.length,
    });
    this.run.put(NAMES.out('near'), block);
    await turns.give();
    const { a, b, isSame } = identical;
    this.share('identical', { a, b, isSame });
    const { cluster, document, role, similarity, basis } = clusters;
    this.share('clusters', { cluster, document, role, similarity, basis });
    this.share('dropped', { document: drop.document, kept: drop.keptDocument, jaccard: drop.jaccard });
    this.shareListed(listed, documents);
    const places = new WrittenPlaces(this.run, corpus);
    const planned = this.tablesOf(near, outcome, documents.rows.length, places);
    try {
      const writing = Promise.all([
        candidates.files,
        this.writeAll(planned, corpus.ids, places),
        candidates.contentDigest,
      ]);
      // Reported below; until then it must not end the process as an unhandled rejection.
      writing.catch(() => {});
      await (isScarce(this.run.budget) ? writing : tasksSent());
      const done = await turns.through(beside(), 0);
      const [first, others, contentDigest] = await writing;
      return { files: [...first, ...others], listed: candidates.listed, contentDigest, beside: done };
    } catch (error) {
      throw withRoom(error, this.needed, NODE_FILES.free(this.root));
    }
  }

  private tablesOf(
    near: NearPairs,
    { identical, clusters: { document }, drop }: Outcome,
    listed: number,
    places: WrittenPlaces,
  ): PlannedTable[] {
    const pairs = planPairParts(near, identical).map((part): PlannedTable => {
      const place = this.place(partName('pairs', part.part));
      return { task: { table: 'pairs', place, part }, ahead: { pairs: part.rows }, placed: null };
    });
    const clusters = planParts(document.length).map((range): PlannedTable => {
      const place = this.place(partName('clusters', range.part));
      const placed = places.of('clusters', range.part, document.subarray(range.from, range.to));
      const task = { table: 'clusters', place, range, places: placed?.name ?? null } as const;
      return { task, ahead: { clusters: range.to - range.from }, placed };
    });
    const placed = places.of('duplicates', 0, drop.document);
    const duplicates = { place: this.place(listName('duplicates')), places: placed?.name ?? null };
    const skipped = { table: 'skipped', place: this.place(listName('skipped')) } as const;
    return [
      ...pairs,
      ...clusters,
      { task: { table: 'duplicates', ...duplicates }, ahead: { duplicates: drop.document.length }, placed },
      { task: skipped, ahead: { listed }, placed: null },
    ];
  }

  private shareListed({ skipped, links }: Listed, documents: ListedDocuments): void {
    this.share('skipped', {
      ...skipped.places,
      rows: skipped.rows,
      codes: skipped.codes,
      listed: documents.rows,
      listedCodes: documents.codes,
    });
    this.share('links', { ...links.places, rows: links.rows, codes: links.codes });
  }

  private async writeAll(
    planned: readonly PlannedTable[],
    ids: Ids,
    places: WrittenPlaces,
  ): Promise<WrittenFile[]> {
    const files: WrittenFile[] = [];
    // Places are made when the turn of their rows comes, and released with them.
    const write = ({ task, ahead, placed }: PlannedTable): Promise<WrittenFile> => {
      this.beginRows(ids, ahead);
      return places.during(placed, (inputs) => writeOne(this.run, task, inputs));
    };
    const progress = { unit: 'files', total: planned.length };
    for await (const file of this.run.each(planned, write, { ahead: TASKS_AHEAD, progress }))
      files.push(file);
    return files;
  }

  /** Announces rows that will be written. @throws MinHashError DISK_FULL where they cannot fit */
  private expect(corpus: Corpus, rows: RowsAhead): void {
    // From here on the remaining bytes are known better than in earlier stages.
    this.run.disk?.expect(0);
    const bytes = bytesAhead(rows, corpus.ids);
    this.needed += bytes;
    this.left += bytes;
    checkRoom(this.root, bytes, NODE_FILES.free(this.root));
  }

  /** A task is about to write rows. @throws MinHashError DISK_FULL where they, and all after them, cannot fit */
  private beginRows(ids: Ids, rows: RowsAhead): void {
    checkRoom(this.root, this.left, NODE_FILES.free(this.root));
    this.left = Math.max(0, this.left - bytesAhead(rows, ids));
  }

  private share(name: string, columns: Record<string, Column>): void {
    this.run.put(NAMES.out(name), encodeBlock('pairs', {}, columns, true));
  }

  private place(file: string): WriteTask['place'] {
    return { root: this.root, file };
  }
}

/** Long work follows on this thread: the first tasks have to be sent before it. */
async function tasksSent(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

async function digestOf(run: Run): Promise<string> {
  const { sha256 } = await run.task({
    kind: 'digest',
    label: 'digest',
    params: {},
    inputs: [NAMES.out('ids'), NAMES.out('contents')],
  });
  return sha256;
}

const INPUTS: Readonly<Record<WriteTask['table'], readonly string[]>> = {
  candidates: [NAMES.out('ids')],
  pairs: [NAMES.out('ids'), NAMES.out('near'), NAMES.out('identical')],
  clusters: [NAMES.out('ids'), NAMES.out('clusters')],
  duplicates: [NAMES.out('ids'), NAMES.out('dropped')],
  skipped: [NAMES.out('ids'), NAMES.out('skipped'), NAMES.out('links')],
};

function writeOne(run: Run, task: WriteTask, more: readonly string[] = []): Promise<WrittenFile> {
  return run.task({
    kind: 'write',
    label: task.place.file,
    params: task,
    inputs: [...INPUTS[task.table], ...more],
  });
}
