/**
 * The last stage: columns -> result files, a part a task.
 *
 * Floor 4.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  acceptedRows,
  countAccepted,
  evidenceFrom,
  evidenceOfRows,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import { type Block, type Column, encodeBlock, type Layout, newBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { Agreements } from '../../blocks/pairs.js';
import { listName, partName } from '../../output/names.js';
import type { Contents } from '../../output/tables/digest.js';
import {
  type IdentityRuns,
  identityRuns,
  type NearPairs,
  planPairParts,
} from '../../output/tables/pairTable.js';
import {
  type EliminatedShingles,
  planParts,
  type RowRange,
  type SkippedPlaces,
} from '../../output/tables/tables.js';
import { WRITTEN_BYTES } from '../../store/budget.js';
import { bytesAhead, checkRoom, type RowsAhead, withRoom } from '../../store/disk.js';
import { NODE_FILES } from '../../store/fileDoor.js';
import type { WrittenFile } from '../../store/files.js';
import type { DigestTask, WriteTask } from '../../tasks/writeTasks.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { Outcome } from './clusters.js';

/*
 * What the tasks that write the result are given: columns of pairs and documents, as blocks.
 *
 * Floor 4.
 */

/** The accepted near pairs with all their evidence, as a block. */
export function nearBlock(verified: VerifiedPairs): { readonly block: Block; readonly near: NearPairs } {
  const rows = acceptedRows(verified);
  const count = rows.length;
  const { exact } = verified;
  const evidence: Layout = {
    jaccard: ['f64', count],
    containmentAB: ['f64', count],
    containmentBA: ['f64', count],
  };
  const pairs: Layout = {
    a: ['u32', count],
    b: ['u32', count],
    agreement: [verified.agreement instanceof Float64Array ? 'f64' : 'u16', count],
  };
  const block = newBlock('pairs', {}, exact === null ? pairs : { ...pairs, ...evidence }, true);
  const columns = block.columns as Record<string, never>;
  const near = {
    count,
    a: columns.a! as Uint32Array,
    b: columns.b! as Uint32Array,
    agreement: columns.agreement! as Agreements,
  };
  for (let i = 0; i < count; i++) {
    near.a[i] = verified.a[rows[i]!]!;
    near.b[i] = verified.b[rows[i]!]!;
    near.agreement[i] = verified.agreement[rows[i]!]!;
  }
  if (exact === null) return { block, near: { ...near, exact } };
  const positions = evidenceOfRows(exact, rows);
  const picked = (from: Float64Array, into: Float64Array): Float64Array => {
    for (let i = 0; i < count; i++) into[i] = from[positions[i]!]!;
    return into;
  };
  const sets = {
    jaccard: picked(exact.jaccard, columns.jaccard!),
    containmentAB: picked(exact.containmentAB, columns.containmentAB!),
    containmentBA: picked(exact.containmentBA, columns.containmentBA!),
  };
  return { block, near: { ...near, exact: sets } };
}

/** The rows of one part of the candidates; of the evidence, that about these rows. */
export function candidateBlock(verified: VerifiedPairs, { from, to }: RowRange): Block {
  const { a, b, agreement, accepted, exact } = verified;
  const columns = {
    a: a.subarray(from, to),
    b: b.subarray(from, to),
    agreement: agreement.subarray(from, to),
    accepted: accepted.subarray(from, to),
  };
  // Outside exact mode the resemblance is the agreement, and the file says nothing twice.
  if (exact === null) return encodeBlock('pairs', {}, columns, true);
  const first = evidenceFrom(exact, from);
  const end = evidenceFrom(exact, to);
  const [rows, jaccard] = [exact.rows.subarray(first, end), exact.jaccard.subarray(first, end)];
  return encodeBlock('pairs', {}, { ...columns, rows, jaccard }, true);
}

/** The documents that are still there, and their content keys. */
export function contentsLeft(corpus: Corpus, withdrawn: Uint8Array): Omit<Contents, 'ids'> {
  const all = corpus.contentKeys;
  const documents = new Uint32Array(corpus.documents);
  let count = 0;
  for (let d = 0; d < corpus.documents; d++) if (withdrawn[d] === 0) documents[count++] = d;
  if (count === corpus.documents) return { documents, contentKeys: all };
  const contentKeys = new Uint32Array(4 * count);
  for (let i = 0; i < 4 * count; i++) contentKeys[i] = all[4 * documents[i >>> 2]! + (i & 3)]!;
  return { documents: documents.subarray(0, count), contentKeys };
}

/** What the last stage made. */
export interface Written {
  /** In the order of the tables. */
  readonly files: readonly WrittenFile[];
  /** See contentDigest.ts. */
  readonly contentDigest: string;
}

type Ids = Corpus['ids'];

/** The rows that a task writes, of tables whose rows are told ahead. */
function rowsOf(task: WriteTask, duplicates: number): RowsAhead {
  switch (task.table) {
    case 'pairs':
      return { pairs: task.part.rows };
    case 'clusters':
      return { clusters: task.range.to - task.range.from };
    case 'duplicates':
      return { duplicates };
    default:
      return {};
  }
}

/** Tasks on their way beyond one a worker: small tables do not wait for a large one that is told before them. */
const TASKS_AHEAD = 4;

/** Where a task may have less, the copies of parts that wait their turn, some 20 MB each, are too much. */
const ROOMY_TASK = 64e6;

/** Writes the tables of a result. */
export class ResultWriting {
  private readonly run: Run;
  private readonly root: string;
  private candidates: Promise<readonly WrittenFile[]> = Promise.resolve([]);
  /** Bytes of all rows, as far as they are known, and of those that no task has begun to write. */
  private needed = 0;
  private left = 0;

  constructor(run: Run, root: string) {
    this.run = run;
    this.root = root;
  }

  /**
   * Candidates are most of the rows, and known before the clusters are: workers write them meanwhile.
   *
   * @throws MinHashError DISK_FULL where they have no chance to fit
   */
  async begin(corpus: Corpus, verified: VerifiedPairs): Promise<void> {
    this.expect(corpus, { candidates: verified.count });
    this.share('ids', { ...corpus.ids });
    this.candidates = this.writeCandidates(verified, corpus.ids);
    // `finish` is where a failure is told; until then it must not end the process as one that nobody looked at.
    this.candidates.catch(() => {});
    // What follows on this thread is long: the first tasks have to be on their way.
    await nextTurn();
    await nextTurn();
  }

  /** A part is copied for its task when its turn comes, and forgotten with it. */
  private async writeCandidates(verified: VerifiedPairs, ids: Ids): Promise<WrittenFile[]> {
    const { engine, params, budget } = this.run;
    const files: WrittenFile[] = [];
    const ahead = budget.task < ROOMY_TASK ? 0 : TASKS_AHEAD;
    const written = this.run.each(
      planParts(verified.count),
      async (range) => {
        const rows = NAMES.out('candidates', range.part);
        this.beginRows(ids, { candidates: range.to - range.from });
        this.run.put(rows, candidateBlock(verified, range));
        const place = this.place(partName('candidates', range.part, params.format));
        const file = await writeOne(this.run, { table: 'candidates', place, range, rows });
        engine.store.delete(rows);
        return file;
      },
      { ahead },
    );
    for await (const file of written) files.push(file);
    return files;
  }

  /** Writes the other tables, and waits for all. @throws MinHashError DISK_FULL with what was needed and is free */
  async finish(
    corpus: Corpus,
    outcome: Outcome,
    skipped: SkippedPlaces,
    eliminated: EliminatedShingles | null,
  ): Promise<Written> {
    const { expandIdentical } = this.run.params;
    const { verified, clusters, drop, classes } = outcome;
    const { block, near } = this.nearPairs(verified);
    const runs = identityRuns(classes.members, expandIdentical);
    this.expect(corpus, {
      pairs: near.count,
      clusters: clusters.cluster.length,
      duplicates: drop.document.length,
    });
    this.share('contents', { ...contentsLeft(corpus, outcome.withdrawn) });
    this.run.put(NAMES.out('near'), block);
    this.share('runs', { ...runs });
    const { cluster, document, role, similarity, basis } = clusters;
    this.share('clusters', { cluster, document, role, similarity, basis });
    this.share('dropped', { document: drop.document, kept: drop.keptDocument, jaccard: drop.jaccard });
    const { offsets, bytes } = skipped.places;
    this.share('skipped', { offsets, bytes, codes: skipped.codes });
    const tasks = this.tasksOf(near, runs, cluster.length);
    if (eliminated !== null) tasks.push(this.eliminatedTask(eliminated));
    try {
      const [candidates, others, contentDigest] = await Promise.all([
        this.candidates,
        this.writeAll(tasks, corpus.ids, drop.document.length),
        digestOf(this.run),
      ]);
      return { files: [...candidates, ...others], contentDigest };
    } catch (error) {
      throw withRoom(error, this.needed, NODE_FILES.free(this.root));
    }
  }

  private nearPairs(verified: VerifiedPairs): ReturnType<typeof nearBlock> {
    const count = countAccepted(verified);
    this.run.tables.take(`${count} accepted pairs to write`, WRITTEN_BYTES * count);
    return nearBlock(verified);
  }

  private tasksOf(near: NearPairs, runs: IdentityRuns, clusterRows: number): WriteTask[] {
    const { format } = this.run.params;
    return [
      ...planPairParts(near, runs).map((part) => ({
        table: 'pairs' as const,
        place: this.place(partName('pairs', part.part, format)),
        part,
      })),
      ...planParts(clusterRows).map((range) => ({
        table: 'clusters' as const,
        place: this.place(partName('clusters', range.part, format)),
        range,
      })),
      { table: 'duplicates', place: this.place(listName('duplicates', format)) },
      { table: 'skipped', place: this.place(listName('skipped', format)) },
    ];
  }

  private eliminatedTask({ hashes, documents, texts }: EliminatedShingles): WriteTask {
    this.share('eliminated', { hashes, documents, offsets: texts.offsets, bytes: texts.bytes });
    return { table: 'eliminated', place: this.place(listName('eliminated', this.run.params.format)) };
  }

  private async writeAll(tasks: readonly WriteTask[], ids: Ids, duplicates: number): Promise<WrittenFile[]> {
    const files: WrittenFile[] = [];
    const write = (task: WriteTask): Promise<WrittenFile> => {
      this.beginRows(ids, rowsOf(task, duplicates));
      return writeOne(this.run, task);
    };
    const progress = { unit: 'files', total: tasks.length };
    for await (const file of this.run.each(tasks, write, { ahead: TASKS_AHEAD, progress })) files.push(file);
    return files;
  }

  /** Rows that are going to be written. @throws MinHashError DISK_FULL where they have no chance to fit */
  private expect(corpus: Corpus, rows: RowsAhead): void {
    // From here on what is left is known better than in the stages before.
    this.run.disk?.expect(0);
    const bytes = bytesAhead(rows, corpus.ids);
    this.needed += bytes;
    this.left += bytes;
    checkRoom(this.root, bytes, NODE_FILES.free(this.root));
  }

  /** A task is about to write rows. @throws MinHashError DISK_FULL where they, and all after them, have no chance to fit */
  private beginRows(ids: Ids, rows: RowsAhead): void {
    checkRoom(this.root, this.left, NODE_FILES.free(this.root));
    this.left = Math.max(0, this.left - bytesAhead(rows, ids));
  }

  private share(name: string, columns: Record<string, Column>): void {
    this.run.put(NAMES.out(name), encodeBlock('pairs', {}, columns, true));
  }

  private place(file: string): WriteTask['place'] {
    return { root: this.root, file, format: this.run.params.format };
  }
}

async function digestOf(run: Run): Promise<string> {
  const { report } = await run.task({
    kind: 'write',
    label: 'digest',
    params: { table: 'contents' } satisfies DigestTask,
    inputs: [NAMES.out('ids'), NAMES.out('contents')],
  });
  return 'sha256' in report ? report.sha256 : '';
}

/** The blocks a table's tasks read. */
const INPUTS: Readonly<Record<WriteTask['table'], readonly string[]>> = {
  candidates: [NAMES.out('ids')],
  pairs: [NAMES.out('ids'), NAMES.out('near'), NAMES.out('runs')],
  clusters: [NAMES.out('ids'), NAMES.out('clusters')],
  duplicates: [NAMES.out('ids'), NAMES.out('dropped')],
  skipped: [NAMES.out('skipped')],
  eliminated: [NAMES.out('eliminated')],
};

async function writeOne(run: Run, task: WriteTask): Promise<WrittenFile> {
  const { report } = await run.task({
    kind: 'write',
    label: task.place.file,
    params: task,
    inputs: task.table === 'candidates' ? [...INPUTS[task.table], task.rows] : INPUTS[task.table],
  });
  return report as unknown as WrittenFile;
}
