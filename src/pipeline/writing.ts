/**
 * The last stage: columns -> result files, a part a task.
 *
 * Floor 4.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { countAccepted, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Column } from '../blocks/block.js';
import { encodeBlock } from '../blocks/block.js';
import type { Json } from '../engine/engine.js';
import type { DigestTask, WriteTask } from '../engine/resultParts.js';
import { NODE_FILES } from '../storage/fileDoor.js';
import type { WrittenFile } from '../storage/results/atomicFile.js';
import type { EliminatedShingles } from '../storage/results/eliminatedList.js';
import { type IdentityRuns, identityRuns } from '../storage/results/identityRuns.js';
import type { SkippedPlaces } from '../storage/results/lists.js';
import { type NearPairs, planPairParts } from '../storage/results/pairParts.js';
import { planParts } from '../storage/results/parts.js';
import { listName, partName } from '../storage/results/resultNames.js';
import type { Corpus } from './corpus.js';
import { bytesAhead, checkRoom, type RowsAhead, withRoom } from './diskSpace.js';
import { inOrder } from './inOrder.js';
import type { Outcome } from './outcome.js';
import { WRITTEN_BYTES } from './pairMemory.js';
import { candidateBlock, contentsLeft, nearBlock } from './resultBlocks.js';
import type { Run } from './run.js';
import { WrittenPlaces } from './writtenPlaces.js';

/** What the last stage made. */
export interface Written {
  /** In the order of the tables. */
  readonly files: readonly WrittenFile[];
  /** See contentDigest.ts. */
  readonly contentDigest: string;
}

type Ids = Corpus['ids'];

/** Tables with a column of places. */
type PlacedTask = Extract<WriteTask, { readonly table: 'clusters' | 'duplicates' }>;

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
    const limit = engine.parallelism + (budget.task < ROOMY_TASK ? 0 : TASKS_AHEAD);
    const written = inOrder(planParts(verified.count), limit, async (range) => {
      const rows = `out/candidates/${range.part}`;
      this.beginRows(ids, { candidates: range.to - range.from });
      this.run.put(rows, candidateBlock(verified, range));
      const place = this.place(partName('candidates', range.part, params.format));
      const file = await writeOne(this.run, { table: 'candidates', place, range, rows });
      engine.store.delete(rows);
      return file;
    });
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
    this.run.put('out/near', block);
    this.share('runs', { ...runs });
    const { cluster, document, role, similarity, basis } = clusters;
    this.share('clusters', { cluster, document, role, similarity, basis });
    this.share('dropped', { document: drop.document, kept: drop.keptDocument, jaccard: drop.jaccard });
    const { offsets, bytes } = skipped.places;
    this.share('skipped', { offsets, bytes, codes: skipped.codes });
    const places = new WrittenPlaces(this.run, corpus);
    const tasks = this.tasksOf(near, runs, cluster.length, places);
    if (eliminated !== null) tasks.push(this.eliminatedTask(eliminated));
    const documentsOf = (task: PlacedTask): Uint32Array =>
      task.table === 'duplicates' ? drop.document : document.subarray(task.range.from, task.range.to);
    try {
      const [candidates, others, contentDigest] = await Promise.all([
        this.candidates,
        this.writeAll(tasks, corpus.ids, drop.document.length, (task) =>
          this.writePlaced(task, places, documentsOf),
        ),
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

  private tasksOf(
    near: NearPairs,
    runs: IdentityRuns,
    clusterRows: number,
    places: WrittenPlaces,
  ): WriteTask[] {
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
        places: places.nameOf('clusters', range.part),
      })),
      {
        table: 'duplicates',
        place: this.place(listName('duplicates', format)),
        places: places.nameOf('duplicates', 0),
      },
      { table: 'skipped', place: this.place(listName('skipped', format)) },
    ];
  }

  private eliminatedTask({ hashes, documents, texts }: EliminatedShingles): WriteTask {
    this.share('eliminated', { hashes, documents, offsets: texts.offsets, bytes: texts.bytes });
    return { table: 'eliminated', place: this.place(listName('eliminated', this.run.params.format)) };
  }

  private async writeAll(
    tasks: readonly WriteTask[],
    ids: Ids,
    duplicates: number,
    placed: (task: PlacedTask) => Promise<WrittenFile>,
  ): Promise<WrittenFile[]> {
    const files: WrittenFile[] = [];
    const limit = this.run.engine.parallelism + TASKS_AHEAD;
    const written = inOrder(tasks, limit, async (task) => {
      this.beginRows(ids, rowsOf(task, duplicates));
      return task.table === 'clusters' || task.table === 'duplicates'
        ? placed(task)
        : writeOne(this.run, task);
    });
    for await (const file of written) this.run.progress(files.push(file), tasks.length, 'files');
    return files;
  }

  /** Places are made when the turn of their rows comes, and forgotten with it. */
  private async writePlaced(
    task: PlacedTask,
    places: WrittenPlaces,
    documentsOf: (task: PlacedTask) => Uint32Array,
  ): Promise<WrittenFile> {
    const documents = documentsOf(task);
    places.put(task.places, documents);
    const file = await writeOne(this.run, task, places.inputsOf(task.places));
    places.forget(task.places, documents.length);
    return file;
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
    this.run.put(`out/${name}`, encodeBlock('pairs', {}, columns, true));
  }

  private place(file: string): WriteTask['place'] {
    return { root: this.root, file, format: this.run.params.format };
  }
}

async function digestOf(run: Run): Promise<string> {
  const { report } = await run.task({
    stage: 'write',
    label: 'digest',
    params: { table: 'contents' } satisfies DigestTask,
    inputs: ['out/ids', 'out/contents'],
  });
  return (report as unknown as { readonly sha256: string }).sha256;
}

/** The blocks a table's tasks read. */
const INPUTS: Readonly<Record<WriteTask['table'], readonly string[]>> = {
  candidates: ['out/ids'],
  pairs: ['out/ids', 'out/near', 'out/runs'],
  clusters: ['out/ids', 'out/clusters'],
  duplicates: ['out/ids', 'out/dropped'],
  skipped: ['out/skipped'],
  eliminated: ['out/eliminated'],
};

async function writeOne(run: Run, task: WriteTask, more: readonly string[] = []): Promise<WrittenFile> {
  const { report } = await run.task({
    stage: 'write',
    label: task.place.file,
    params: task as unknown as Json,
    inputs: [...INPUTS[task.table], ...(task.table === 'candidates' ? [task.rows] : more)],
  });
  return report as unknown as WrittenFile;
}
