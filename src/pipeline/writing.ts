/**
 * The last stage: columns -> result files, a part a task.
 *
 * Floor 4.
 */
import { acceptedPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Column } from '../blocks/block.js';
import { encodeBlock } from '../blocks/block.js';
import type { Json } from '../engine/engine.js';
import type { WriteTask } from '../engine/resultParts.js';
import type { WrittenFile } from '../storage/results/atomicFile.js';
import { identityRuns } from '../storage/results/identityRuns.js';
import type { SkippedPlaces } from '../storage/results/lists.js';
import { type NearPairs, planPairParts } from '../storage/results/pairParts.js';
import { planParts } from '../storage/results/parts.js';
import { listName, partName } from '../storage/results/resultNames.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Outcome } from './outcome.js';
import type { Run } from './run.js';

/** The accepted near pairs with all their evidence. */
function nearPairsOf(verified: VerifiedPairs): NearPairs {
  const { a, b, count } = acceptedPairs(verified);
  const { accepted, exact } = verified;
  const agreement = new Uint16Array(count);
  for (let i = 0, row = 0; row < count; i++) if (accepted[i] === 1) agreement[row++] = verified.agreement[i]!;
  const picked = (column: Float64Array): Float64Array => {
    const out = new Float64Array(count);
    for (let i = 0, row = 0; row < count; i++) if (accepted[i] === 1) out[row++] = column[i]!;
    return out;
  };
  return {
    count,
    a,
    b,
    agreement,
    exact: exact && {
      jaccard: picked(exact.jaccard),
      containmentAB: picked(exact.containmentAB),
      containmentBA: picked(exact.containmentBA),
    },
  };
}

/** Writes all tables of the result into `root` and returns what was written, in order of the names' tables. */
export async function writeResults(
  run: Run,
  root: string,
  corpus: Corpus,
  outcome: Outcome,
  skipped: SkippedPlaces,
): Promise<WrittenFile[]> {
  const { format, expandIdentical } = run.params;
  const { verified, clusters, drop, classes } = outcome;
  const share = (name: string, columns: Record<string, Column>): void =>
    run.put(`out/${name}`, encodeBlock('pairs', {}, columns, true));
  const near = nearPairsOf(verified);
  const runs = identityRuns(classes.members, expandIdentical);
  const { a, b, agreement, accepted } = verified;
  const count = verified.count;
  share('ids', { ...corpus.ids });
  share('candidates', {
    a: a.subarray(0, count),
    b: b.subarray(0, count),
    agreement,
    // Outside exact mode the resemblance is the agreement, and the file says nothing twice.
    ...(verified.exact && { jaccard: verified.exact.jaccard }),
    accepted,
  });
  share('near', { a: near.a, b: near.b, agreement: near.agreement, ...near.exact });
  share('runs', { ...runs });
  const { cluster, document, role, similarity, basis } = clusters;
  share('clusters', { cluster, document, role, similarity, basis });
  share('dropped', { document: drop.document, kept: drop.keptDocument, jaccard: drop.jaccard });
  share('skipped', { offsets: skipped.places.offsets, bytes: skipped.places.bytes, codes: skipped.codes });

  const place = (file: string) => ({ root, file, format });
  const tasks: WriteTask[] = [
    ...planParts(count).map((range) => ({
      table: 'candidates' as const,
      place: place(partName('candidates', range.part, format)),
      range,
    })),
    ...planPairParts(near, runs).map((part) => ({
      table: 'pairs' as const,
      place: place(partName('pairs', part.part, format)),
      part,
    })),
    ...planParts(cluster.length).map((range) => ({
      table: 'clusters' as const,
      place: place(partName('clusters', range.part, format)),
      range,
    })),
    { table: 'duplicates', place: place(listName('duplicates', format)) },
    { table: 'skipped', place: place(listName('skipped', format)) },
  ];
  const files: WrittenFile[] = [];
  for await (const file of inOrder(tasks, run.engine.parallelism + 1, (task) => writeOne(run, task))) {
    files.push(file);
    run.progress(files.length, tasks.length, 'files');
  }
  return files;
}

/** The blocks a table's tasks read. */
const INPUTS: Readonly<Record<WriteTask['table'], readonly string[]>> = {
  candidates: ['out/ids', 'out/candidates'],
  pairs: ['out/ids', 'out/near', 'out/runs'],
  clusters: ['out/ids', 'out/clusters'],
  duplicates: ['out/ids', 'out/dropped'],
  skipped: ['out/skipped'],
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
