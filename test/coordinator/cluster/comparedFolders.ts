/** Results of engines that sort beside those of threads: every file, byte for byte, but for the statistics. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterOutcome, clusterRecipe } from '../../../src/coordinator/cluster/clusterRecipe.js';
import { formOf } from '../../../src/coordinator/cluster/clusterRun.js';
import { DiskCorpus } from '../../../src/coordinator/cluster/diskCorpus.js';
import { Jobs } from '../../../src/coordinator/cluster/jobs.js';
import {
  type StreamedResult,
  streamedResult,
} from '../../../src/coordinator/cluster/result/streamedResult.js';
import { streamedFiles } from '../../../src/coordinator/cluster/streamedFiles.js';
import { finishResult } from '../../../src/coordinator/finish/finishResult.js';
import { check } from '../../../src/coordinator/start/checked.js';
import { list, type Prepared } from '../../../src/coordinator/start/prepare.js';
import { DiskEngine } from '../../../src/engines/disk/diskEngine.js';
import * as sortingTasks from '../../../src/engines/disk/diskTasks.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import type { SortingEngine } from '../../../src/engines/job.js';
import type { RunOptions } from '../../../src/options/check.js';
import { prepareOutput } from '../../../src/output/folder.js';
import type { Report } from '../../../src/output/report.js';
import { readBuffers } from '../../../src/readers/documentSink.js';
import { bytesOf, textOf } from '../../../src/readers/list/pathIds.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { UNBOUNDED } from '../../../src/store/budget.js';
import { VERSION } from '../../../src/store/packageFiles.js';
import { Store } from '../../../src/store/store.js';
import { kernelHere } from '../../../src/tasks/kernelHere.js';
import { KERNEL_MODULE } from '../../../src/tasks/kernelModule.js';
import type { CorpusRow } from '../../../src/tasks/stream/records.js';
import { RECORD_FORMAT } from '../../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../../engines/processEngine.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { listOf, readSource } from '../../readers/list/fileTables.js';
import { RecordingSink } from '../../readers/recordingSink.js';
import { valuesRow } from '../../tasks/valuesRow.js';

/** Every file of a result but the statistics, by its name. */
export function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return Object.fromEntries(
    names
      .filter((name) => name !== 'stats.json')
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

export async function preparedRun(options: RunOptions): Promise<Prepared> {
  const checked = await check({ threads: 0, ...options });
  return { ...checked, inputs: await list(checked) };
}

/** Writes the result of records, as a run on an engine that sorts does. */
export async function writtenBy(
  prepared: Prepared,
  engine: SortingEngine,
  outcome: ClusterOutcome,
  rowsPerPart?: number,
): Promise<{ readonly written: StreamedResult; readonly report: Report }> {
  const { params, inputs, execution } = prepared;
  const output = prepareOutput(execution.out, { force: false, version: VERSION });
  const run = { engine, params, inputs, outcome, root: output.path };
  try {
    const written = await streamedResult({ ...run, ...(rowsPerPart !== undefined && { rowsPerPart }) });
    const end = { stages: [], elapsedMilliseconds: 1, execution: {}, balances: [] };
    return { written, report: await finishResult(output, prepared, written, end) };
  } catch (error) {
    output.abandon();
    throw error;
  }
}

/** How the process that stands for a cluster differs. */
export interface ClusterShape {
  readonly mappers: number;
  readonly reducers: number;
  readonly byStars: boolean;
  /** Hashes of a range of a set, about. */
  readonly rangeHashes?: number;
  /** Lines of a split. */
  readonly splitLines: number;
  /** Rows come as an engine gives them that reads files itself. */
  readonly givesRows: boolean;
}

/** What all jobs of a run are told alike. */
function baseOf({ params, inputs: { files } }: Prepared, uriOf: (file: number) => string) {
  return { format: RECORD_FORMAT, version: VERSION, run: 'test', ...streamedFiles(params, files, uriOf) };
}

/** Runs the whole recipe over files, which are lines, texts or columns, in this process. */
export async function runInProcess(prepared: Prepared, shape: ClusterShape): Promise<Report> {
  const { files } = prepared.inputs;
  const splits = Array.from({ length: files.length }, (_, i) => splitsOf(prepared, i, shape.splitLines));
  const { mappers, reducers } = shape;
  // The last splits are done first.
  const all = splits.flat().reverse();
  const engine = new ProcessEngine({ kernel: await kernelHere(), splits: all, mappers, reducers });
  const base = baseOf(prepared, (file) => textOf(files.path(file)));
  const outcome = await clusterRecipe(new Jobs(engine, base), {
    ...formOf(prepared),
    byStars: shape.byStars,
    ...(shape.rangeHashes !== undefined && { rangeHashes: shape.rangeHashes }),
  });
  return (await writtenBy(prepared, engine, outcome)).report;
}

/** Runs the whole recipe on the disk, in the folder, as tasks of this thread that hold very little. */
export async function runOnDisk(prepared: Prepared, shape: ClusterShape, folder: string): Promise<Report> {
  const { params, inputs } = prepared;
  const { files } = inputs;
  const pieces = planPieces(inputs, params, 400 * shape.splitLines);
  const corpus = new DiskCorpus(prepared, { budget: UNBOUNDED, options: {}, pieces });
  const engine = new DiskEngine({
    workers: () =>
      createInlineEngine({
        tasks: sortingTasks,
        setup: { params },
        store: new Store(),
        workerData: { [KERNEL_MODULE]: kernelModule },
      }),
    ...{ threads: shape.mappers, reducers: shape.reducers, work: folder },
    corpus: (workers) => corpus.parts(workers),
    keepsOrder: corpus.isInOrder,
    sizes: { split: 400 * shape.splitLines, records: 50_000, leastSorted: 20_000, mostSorted: 20_000 },
  });
  const base = baseOf(prepared, (file) => files.path(file));
  const counting = () =>
    createInlineEngine({
      setup: { params },
      store: new Store(),
      workerData: { [KERNEL_MODULE]: kernelModule },
    });
  const outcome = await clusterRecipe(new Jobs(engine, base), {
    ...formOf(prepared),
    byStars: shape.byStars,
    eliminated: await corpus.eliminated(counting),
    ...(shape.rangeHashes !== undefined && { rangeHashes: shape.rangeHashes }),
  });
  const { report } = await writtenBy(prepared, engine, outcome);
  await engine.close();
  return report;
}

/** The rows of a Parquet file with their numbers, as its reader on worker threads has them. */
function rowsOfColumns({ params, inputs }: Prepared, index: number, splitRows: number): CorpusRow[][] {
  const file = inputs.files.file(index);
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf([{ ...file, index }]) }, params, sink, readBuffers());
  const binary = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'latin1'));
  const found = [...sink.documents, ...sink.skips.map((skip) => ({ ...skip, text: null }))];
  const splits: CorpusRow[][] = [];
  for (const { record, text, id } of found.sort((one, other) => one.record - other.record)) {
    if (record % splitRows === 0) splits.push([]);
    splits
      .at(-1)!
      .push({ file: textOf(file.path), start: record, bytes: valuesRow(binary(text), binary(id)) });
  }
  return splits;
}

function splitsOf(prepared: Prepared, index: number, splitLines: number): CorpusRow[][] {
  const { files } = prepared.inputs;
  const path = files.path(index);
  const file = textOf(path);
  const bytes = readFileSync(bytesOf(path));
  if (files.file(index).format === 'text') return [[{ file, start: 0, bytes }]];
  if (files.file(index).format === 'parquet') return rowsOfColumns(prepared, index, splitLines);
  const splits: CorpusRow[][] = [];
  let start = 0;
  for (let from = 0, lines = 0; from < bytes.length; lines++) {
    const feed = bytes.indexOf(0x0a, from);
    const end = feed < 0 ? bytes.length : feed;
    if (lines % splitLines === 0) {
      start = from;
      splits.push([]);
    }
    splits.at(-1)!.push({ file, start, bytes: bytes.subarray(from, end) });
    from = end + 1;
  }
  return splits;
}
