/** Files on disk as an engine that sorts gives them to tasks: rows by split; and the jobs of a run over them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Jobs } from '../../src/coordinator/cluster/jobs.js';
import { streamedFiles } from '../../src/coordinator/cluster/streamedFiles.js';
import type { RunOptions } from '../../src/options/check.js';
import { checkOptions } from '../../src/options/check.js';
import type { FileTable } from '../../src/readers/list/fileTable.js';
import { formatNamed } from '../../src/readers/list/formats.js';
import { type Inputs, listInputs } from '../../src/readers/list/inputs.js';
import type { ResultParams } from '../../src/sketch/params.js';
import { VERSION } from '../../src/store/packageFiles.js';
import type { CorpusRow } from '../../src/tasks/stream/records.js';
import { RECORD_FORMAT, runHash } from '../../src/tasks/stream/taskManifest.js';
import { ProcessEngine, type ProcessEngineOptions } from './processEngine.js';

/** What the manifests of a run over files of this machine have in common. */
export function sharedOf(params: ResultParams, files: FileTable) {
  const told = streamedFiles(params, files, (file) => `file:${files.path(file)}`);
  const shared = { format: RECORD_FORMAT, version: VERSION, ...told };
  return { ...shared, run: runHash(shared) };
}

/** The lines of bytes, without their LFs, and where each starts. */
function* linesIn(bytes: Buffer): Generator<readonly [start: number, line: Uint8Array]> {
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, at);
    const end = feed < 0 ? bytes.length : feed;
    yield [at, bytes.subarray(at, end)];
    at = end + 1;
  }
}

/**
 * The rows of files by split. A line belongs to the split in which it starts; packed files and texts are one split each, and
 * splits in which no line starts give none.
 *
 * @param splitBytes bytes of the next split
 */
export function corpusRows(files: FileTable, splitBytes: () => number): CorpusRow[][] {
  const splits: CorpusRow[][] = [];
  for (let i = 0; i < files.length; i++) {
    const { path, format, packing } = files.file(i);
    const file = `file:${path}`;
    const raw = readFileSync(path);
    if (formatNamed(format).holds === 'text') {
      splits.push([{ file, start: 0, bytes: raw }]);
      continue;
    }
    const bytes = packing === null ? raw : gunzipSync(raw);
    let [start, end] = [0, packing === null ? splitBytes() : Number.POSITIVE_INFINITY];
    let rows: CorpusRow[] = [];
    for (const [at, line] of linesIn(bytes)) {
      while (at >= end) {
        if (rows.length > 0) splits.push(rows);
        rows = [];
        start = end;
        end += splitBytes();
      }
      rows.push({ file, start, bytes: line });
    }
    if (rows.length > 0) splits.push(rows);
  }
  return splits;
}

/** A run on an engine in this process. */
export interface ProcessRun {
  readonly engine: ProcessEngine;
  readonly jobs: Jobs;
  readonly params: ResultParams;
  readonly inputs: Inputs;
}

/** The jobs of a run over PATHs. `splitBytes`: bytes of the next split; default: a file is one. `splits`: in the place of all these. */
export async function processRun(
  options: RunOptions,
  {
    splitBytes = () => Number.POSITIVE_INFINITY,
    ...engineOptions
  }: Omit<ProcessEngineOptions, 'splits'> &
    Partial<Pick<ProcessEngineOptions, 'splits'>> & { readonly splitBytes?: () => number },
): Promise<ProcessRun> {
  const { params, execution } = checkOptions({ threads: 0, ...options }).resolved;
  const inputs = await listInputs({ paths: execution.paths, outFolder: null, params });
  const splits = engineOptions.splits ?? corpusRows(inputs.files, splitBytes);
  const engine = new ProcessEngine({ ...engineOptions, splits });
  return { engine, jobs: new Jobs(engine, sharedOf(params, inputs.files)), params, inputs };
}
