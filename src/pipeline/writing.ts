/**
 * The last stage: columns -> result files, a part a task.
 *
 * Floor 4.
 */
import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Column } from '../blocks/block.js';
import { encodeBlock } from '../blocks/block.js';
import type { Json } from '../engine/engine.js';
import type { WriteTask } from '../engine/resultParts.js';
import type { WrittenFile } from '../storage/results/atomicFile.js';
import { identityRuns } from '../storage/results/identityRuns.js';
import type { SkippedPlaces } from '../storage/results/lists.js';
import type { ExactEvidence } from '../storage/results/pairBatches.js';
import { type NearPairs, planPairParts } from '../storage/results/pairParts.js';
import { planParts } from '../storage/results/parts.js';
import { listName, partName } from '../storage/results/resultNames.js';
import type { Corpus } from './corpus.js';
import { acceptedCount } from './facts.js';
import { inOrder } from './inOrder.js';
import type { Outcome } from './outcome.js';
import type { Run } from './run.js';

/** The columns that exact mode alone has; null outside it. */
function exactEvidence(verified: VerifiedPairs, exact: boolean): ExactEvidence | null {
  if (!exact) return null;
  const { jaccard, containmentAB, containmentBA } = verified;
  return { jaccard, containmentAB, containmentBA };
}

/** The accepted near pairs with all their evidence. */
function nearPairsOf(verified: VerifiedPairs, evidence: ExactEvidence | null): NearPairs {
  const rows = acceptedRows(verified);
  const count = rows.length;
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  const agreement = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    a[i] = verified.a[row]!;
    b[i] = verified.b[row]!;
    agreement[i] = verified.agreement[row]!;
  }
  const exact = evidence && {
    jaccard: picked(evidence.jaccard, rows),
    containmentAB: picked(evidence.containmentAB, rows),
    containmentBA: picked(evidence.containmentBA, rows),
  };
  return { count, a, b, agreement, exact };
}

function acceptedRows({ accepted, count }: VerifiedPairs): Uint32Array {
  const rows = new Uint32Array(acceptedCount(accepted, count));
  for (let i = 0, at = 0; at < rows.length; i++) if (accepted[i] === 1) rows[at++] = i;
  return rows;
}

function picked(column: Float64Array, rows: Uint32Array): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = column[rows[i]!]!;
  return out;
}

/** Writes all tables of the result into `root` and returns what was written, in order of the names' tables. */
export async function writeResults(
  run: Run,
  root: string,
  corpus: Corpus,
  outcome: Outcome,
  skipped: SkippedPlaces,
): Promise<WrittenFile[]> {
  const { format, expandIdentical, verify } = run.params;
  const { verified, clusters, drop, classes } = outcome;
  const share = (name: string, columns: Record<string, Column>): void =>
    run.put(`out/${name}`, encodeBlock('pairs', {}, columns, true));
  const evidence = exactEvidence(verified, verify === 'exact');
  const near = nearPairsOf(verified, evidence);
  const runs = identityRuns(classes.members, expandIdentical);
  const { a, b, agreement, accepted } = verified;
  const count = verified.count;
  share('ids', { ...corpus.ids });
  share('candidates', {
    a: a.subarray(0, count),
    b: b.subarray(0, count),
    agreement,
    // Outside exact mode the resemblance is the agreement, and the file says nothing twice.
    ...(evidence && { jaccard: evidence.jaccard }),
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
