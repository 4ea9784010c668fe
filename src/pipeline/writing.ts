/**
 * The last stage: columns -> result files, a part a task.
 *
 * Floor 4.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { acceptedRows, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Column } from '../blocks/block.js';
import { encodeBlock } from '../blocks/block.js';
import type { Json } from '../engine/engine.js';
import type { DigestTask, WriteTask } from '../engine/resultParts.js';
import { NODE_FILES } from '../storage/fileDoor.js';
import type { WrittenFile } from '../storage/results/atomicFile.js';
import type { Contents } from '../storage/results/contentDigest.js';
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
import type { Run } from './run.js';

/** The accepted near pairs with all their evidence. */
function nearPairsOf(verified: VerifiedPairs): NearPairs {
  const rows = acceptedRows(verified);
  const count = rows.length;
  const { a, b, agreement, exact } = verified;
  const near = { a: new Uint32Array(count), b: new Uint32Array(count), agreement: new Uint16Array(count) };
  for (let i = 0; i < count; i++) {
    near.a[i] = a[rows[i]!]!;
    near.b[i] = b[rows[i]!]!;
    near.agreement[i] = agreement[rows[i]!]!;
  }
  const picked = (column: Float64Array): Float64Array => {
    const out = new Float64Array(count);
    for (let i = 0; i < count; i++) out[i] = column[rows[i]!]!;
    return out;
  };
  const sets = exact && {
    jaccard: picked(exact.jaccard),
    containmentAB: picked(exact.containmentAB),
    containmentBA: picked(exact.containmentBA),
  };
  return { count, ...near, exact: sets };
}

/** The documents that are still there, and their content keys. */
function contentsLeft(corpus: Corpus, withdrawn: Uint8Array): Omit<Contents, 'ids'> {
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

/** Tasks on their way beyond one a worker: small tables do not wait for a large one that is told before them. */
const TASKS_AHEAD = 4;

/** Writes the tables of a result. */
export class ResultWriting {
  private readonly run: Run;
  private readonly root: string;
  private candidates: Promise<readonly WrittenFile[]> = Promise.resolve([]);
  /** Bytes of all rows, as far as they are known. */
  private needed = 0;

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
    const { a, b, agreement, accepted, count, exact } = verified;
    this.expect(corpus, { candidates: count });
    this.share('ids', { ...corpus.ids });
    this.share('candidates', {
      a: a.subarray(0, count),
      b: b.subarray(0, count),
      agreement,
      // Outside exact mode the resemblance is the agreement, and the file says nothing twice.
      ...(exact && { jaccard: exact.jaccard }),
      accepted,
    });
    const tasks = planParts(count).map((range) => ({
      table: 'candidates' as const,
      place: this.place(partName('candidates', range.part, this.run.params.format)),
      range,
    }));
    this.candidates = writeAll(this.run, tasks, () => {});
    // `finish` is where a failure is told; until then it must not end the process as one that nobody looked at.
    this.candidates.catch(() => {});
    // What follows on this thread is long: the first tasks have to be on their way.
    await nextTurn();
    await nextTurn();
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
    const near = nearPairsOf(verified);
    const runs = identityRuns(classes.members, expandIdentical);
    this.expect(corpus, {
      pairs: near.count,
      clusters: clusters.cluster.length,
      duplicates: drop.document.length,
    });
    this.share('contents', { ...contentsLeft(corpus, outcome.withdrawn) });
    this.share('near', { a: near.a, b: near.b, agreement: near.agreement, ...near.exact });
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
        writeAll(this.run, tasks, (done) => this.run.progress(done, tasks.length, 'files')),
        digestOf(this.run),
      ]);
      return { files: [...candidates, ...others], contentDigest };
    } catch (error) {
      throw withRoom(error, this.needed, NODE_FILES.free(this.root));
    }
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

  /** Rows that are about to be written. @throws MinHashError DISK_FULL where they have no chance to fit */
  private expect(corpus: Corpus, rows: RowsAhead): void {
    const bytes = bytesAhead(rows, corpus.ids);
    this.needed += bytes;
    checkRoom(this.root, bytes, NODE_FILES.free(this.root));
  }

  private share(name: string, columns: Record<string, Column>): void {
    this.run.put(`out/${name}`, encodeBlock('pairs', {}, columns, true));
  }

  private place(file: string): WriteTask['place'] {
    return { root: this.root, file, format: this.run.params.format };
  }
}

async function writeAll(
  run: Run,
  tasks: readonly WriteTask[],
  told: (done: number) => void,
): Promise<WrittenFile[]> {
  const files: WrittenFile[] = [];
  const limit = run.engine.parallelism + TASKS_AHEAD;
  for await (const file of inOrder(tasks, limit, (task) => writeOne(run, task))) {
    told(files.push(file));
  }
  return files;
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
  candidates: ['out/ids', 'out/candidates'],
  pairs: ['out/ids', 'out/near', 'out/runs'],
  clusters: ['out/ids', 'out/clusters'],
  duplicates: ['out/ids', 'out/dropped'],
  skipped: ['out/skipped'],
  eliminated: ['out/eliminated'],
};

async function writeOne(run: Run, task: WriteTask): Promise<WrittenFile> {
  const { report } = await run.task({
    stage: 'write',
    label: task.place.file,
    params: task as unknown as Json,
    inputs: INPUTS[task.table],
  });
  return report as unknown as WrittenFile;
}
