/**
 * A task as a process of an engine: one Map or Reduce from descriptor 0 to descriptor 1; status and counters for the engine go
 * to descriptor 2.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { readAt } from '../../store/fileDoor.js';
import { VERSION } from '../../store/packageFiles.js';
import { kernelAtOnce } from '../kernelHere.js';
import type { TaskFact } from '../stream/kinds.js';
import type { CorpusSource } from '../stream/records.js';
import { runTask, type Side, type TaskRecords } from '../stream/runTask.js';
import type { StreamStage } from '../stream/stage.js';
import { STAGES, type StageName } from '../stream/stages.js';
import { openManifest, type SealedManifest } from '../stream/taskManifest.js';
import { ColumnCorpus, ColumnSink, ColumnSource } from './columnRows.js';
import { InputWindow, OutputWindow, readingFrom, tell, writingTo } from './descriptors.js';
import { type Environment, LineCorpus } from './lineRows.js';
import { RawBytesSink, RawBytesSource } from './rawBytes.js';
import type { Counted, FinishedSink } from './recordFault.js';

export type TaskForm = 'rawbytes' | 'tsv';

export interface AskedTask {
  readonly name: string;
  readonly stage: StreamStage;
  readonly side: Side;
  readonly io: TaskForm;
  readonly manifest: string;
}

/** The exit code where the reader of the output closed it. */
const CLOSED = 4;
const STATUS_EVERY = 5000;
/** Hadoop fails a job with more than 120 counters; this leaves room for Hadoop's own. */
const MOST_COUNTERS = 100;

/** Parses the request for a task, and lists its faults; with faults, the request is not valid. */
export function taskRequest(
  words: readonly string[],
  { io, manifest }: { readonly io?: unknown; readonly manifest?: unknown },
): { readonly request: AskedTask; readonly faults: readonly string[] } {
  const [name = '', side = '', ...others] = words;
  const faults: string[] = [];
  const isStage = Object.hasOwn(STAGES, name);
  if (!isStage)
    faults.push(`NAME ${JSON.stringify(name)}: expected one of ${Object.keys(STAGES).join(', ')}`);
  if (side !== 'map' && side !== 'reduce')
    faults.push(`SIDE ${JSON.stringify(side)}: expected map or reduce`);
  if (others.length > 0) faults.push(`${others.join(' ')}: expected NAME and map or reduce, got more words`);
  if (io !== 'rawbytes' && io !== 'tsv')
    faults.push(`--io ${io === undefined ? 'is missing' : JSON.stringify(io)}: expected rawbytes or tsv`);
  if (typeof manifest !== 'string' || manifest === '')
    faults.push('--manifest: expected the file of the manifest of the job');
  const stage: StreamStage | null = isStage ? STAGES[name as StageName] : null;
  if (side === 'reduce' && stage?.reduce === null) faults.push(`NAME ${name}: it has no reduce`);
  const request = { name, stage: stage!, side: side as Side, io: io as TaskForm, manifest: String(manifest) };
  return { request, faults };
}

/**
 * Runs a task to its end.
 *
 * @throws MinHashError TASK_MANIFEST, TASK_RECORD, TASK_STREAM and what stages throw; each names the job and its run
 */
export function runTaskProcess(request: AskedTask, environment: Environment): void {
  const { name, side, io } = request;
  let who = `${name} ${side}`;
  try {
    const manifest = openManifest(textOf(request.manifest), request.manifest, VERSION);
    who = `${manifest.job} ${side} of run ${manifest.run}`;
    refuseOther(manifest, name);
    const status = new Status(io === 'rawbytes', who);
    const output = new OutputWindow(writingTo(1, status.look));
    const sink = io === 'rawbytes' ? new RawBytesSink(output) : new ColumnSink(output);
    const input = new InputWindow(readingFrom(0, status.look));
    const source = sourceOf(request, input, environment);
    const fact = runWith(request, manifest, source, sink);
    // Counters count only output that is written whole.
    sink.finish();
    if (io === 'rawbytes') tell(2, countersOf(side, source.counted, sink, fact));
  } catch (error) {
    throw named(error, who);
  }
}

/** The exit code of a task whose output was closed; null: use the error's own. */
export function closedCode(error: unknown): number | null {
  const cause =
    error instanceof MinHashError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code === 'EPIPE' ? CLOSED : null;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new MinHashError({ code: 'TASK_MANIFEST', detail: `${file}: cannot be read (${code})` }, { cause });
  }
}

type TaskInput = ({ readonly records: TaskRecords } | { readonly rows: CorpusSource }) & {
  readonly counted: Counted;
};

function sourceOf({ stage, side, io }: AskedTask, input: InputWindow, environment: Environment): TaskInput {
  if (side === 'map' && stage.kinds === null) {
    const rows = io === 'rawbytes' ? new LineCorpus(input, environment) : new ColumnCorpus(input);
    return { rows, counted: rows };
  }
  const records = io === 'rawbytes' ? new RawBytesSource(input) : new ColumnSource(input);
  return { records, counted: records };
}

function runWith(
  { stage, side, manifest: file }: AskedTask,
  manifest: SealedManifest,
  source: TaskInput,
  sink: FinishedSink,
): TaskFact {
  let kernel: Kernel | null = null;
  const sides = new SideFiles(manifest, dirname(file));
  try {
    const fact = runTask(source, sink, {
      ...{ stage, side, manifest, sideFile: sides.read },
      // A getter: few stages use the kernel, and compiling it takes time.
      get kernel() {
        kernel ??= kernelAtOnce();
        return kernel;
      },
    });
    if (source.counted.count === 0 && sink.count > 0)
      throw new Error('the stage wrote without input, which engines throw away');
    return fact;
  } finally {
    sides.close();
  }
}

/** Side files in the folder of the manifest, or in the current folder, where engines put them. */
class SideFiles {
  private readonly open = new Map<string, number>();
  private readonly manifest: SealedManifest;
  private readonly folder: string;

  constructor(manifest: SealedManifest, folder: string) {
    this.manifest = manifest;
    this.folder = folder;
  }

  /** Reads `length` bytes from `from` on, or fewer where the file ends before. */
  readonly read = (name: string, from: number, length: number): Uint8Array => {
    const descriptor = this.open.get(name) ?? this.opened(name);
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readAt(descriptor, bytes, from));
  };

  close(): void {
    for (const descriptor of this.open.values()) closeSync(descriptor);
    this.open.clear();
  }

  private opened(name: string): number {
    const file = this.manifest.sides[name];
    const refuse = (detail: string): never => {
      throw new MinHashError({ code: 'TASK_MANIFEST', detail });
    };
    if (file === undefined || file === '' || basename(file) !== file)
      return refuse(`it names no side file ${name}`);
    for (const folder of [this.folder, '.']) {
      try {
        const descriptor = openSync(join(folder, file), 'r');
        this.open.set(name, descriptor);
        return descriptor;
      } catch {
        // The file may be in the other folder.
      }
    }
    return refuse(`the side file ${file} is neither in ${this.folder} nor in the current folder`);
  }
}

/** Reports to Hadoop every few seconds that the task is at work. */
class Status {
  private next = Date.now() + STATUS_EVERY;
  private readonly wanted: boolean;
  private readonly who: string;
  private pieces = 0;

  constructor(wanted: boolean, who: string) {
    this.wanted = wanted;
    this.who = who;
  }

  readonly look = (): void => {
    this.pieces++;
    if (!this.wanted || Date.now() < this.next) return;
    this.next = Date.now() + STATUS_EVERY;
    tell(2, `reporter:status:${this.who}, ${this.pieces} pieces read and written\n`);
  };
}

/** The counters for the engine: records read and written, and the sums of the facts. */
function countersOf(side: Side, input: Counted, output: Counted, { sums }: TaskFact): string {
  const counters: (readonly [name: string, count: number])[] = [
    [`${side}.in`, input.count],
    [`${side}.out`, output.count],
    ...Object.entries(sums),
  ];
  const odd = counters.find(([name]) => /[,\n]/.test(name));
  if (odd !== undefined || counters.length > MOST_COUNTERS)
    throw new Error(odd === undefined ? `${counters.length} counters` : `the name of a counter: ${odd[0]}`);
  return counters.map(([name, count]) => `reporter:counter:mr-minhash,${name},${count}\n`).join('');
}

/** The error, with the name of the job before its message. */
function named(error: unknown, who: string): unknown {
  if (error instanceof MinHashError) {
    const faults = error.faults.map((fault) => ({ ...fault, detail: `${who}: ${fault.detail}` }));
    return new MinHashError(faults, { cause: error.cause });
  }
  if (error instanceof Error) error.message = `${who}: ${error.message}`;
  return error;
}

/** The name of a job: a number, its stage and, where several jobs have that stage, a label. */
const JOB_NAME = /^\d+-([A-Za-z]+)(-|$)/;

/** @throws MinHashError TASK_MANIFEST where the manifest's job is of another stage */
function refuseOther({ job }: SealedManifest, stage: string): void {
  const own = JOB_NAME.exec(job)?.[1];
  if (own === undefined || own === stage) return;
  const detail = `it is that of the job ${job}, expected one of the stage ${stage}`;
  throw new MinHashError({ code: 'TASK_MANIFEST', detail });
}
