/** One Hadoop Streaming job: starts, watches and ends it, and compares its counts. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MinHashError } from '../../../errors.js';
import { runCommand, shownCommand } from '../command.js';
import { JobLog } from './jobLog.js';
import { propertiesOf, propertiesXml, type StreamingJob, streamingWords } from './streamingWords.js';

export interface JobRunSetting {
  /** The command of Hadoop, as words. */
  readonly command: readonly string[];
  readonly jar: string;
  /** Folders of this machine for logs, which stay, and for the client's files. */
  readonly logs: string;
  readonly scratch: string;
  readonly onStatus: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Counts of a job. */
export interface JobCounts {
  /** Rows or records that its Maps read. */
  readonly read: number;
  /** Records in its output. */
  readonly records: number;
  readonly sums: Readonly<Record<string, number>>;
}

/** The command that starts the client. */
export function jobCommand(
  setting: Pick<JobRunSetting, 'command' | 'jar'>,
  job: StreamingJob,
  confFile: string,
): readonly string[] {
  return [...setting.command, 'jar', setting.jar, ...streamingWords(job, confFile)];
}

/**
 * Runs a job to its end.
 *
 * @param name of the job
 * @throws MinHashError JOB_FAILED, JOB_COUNTS, ENGINE_UNUSABLE, INTERRUPTED
 */
export async function runStreamingJob(
  name: string,
  job: StreamingJob,
  setting: JobRunSetting,
): Promise<JobCounts> {
  const cwd = join(setting.scratch, name);
  await rm(cwd, { recursive: true, force: true });
  await mkdir(cwd, { recursive: true });
  await mkdir(setting.logs, { recursive: true });
  const confFile = join(setting.scratch, `${name}.xml`);
  // Properties may hold secrets.
  await writeFile(confFile, propertiesXml(propertiesOf(job)), { mode: 0o600 });
  const file = join(setting.logs, `${name}.log`);
  const log = new JobLog();
  const words = jobCommand(setting, job, confFile);
  const code = await watched(words, { ...setting, cwd, file, name }, log);
  if (code !== 0) throw failure(name, code, log, file);
  const counts = comparedCounts(name, job.form.reduce !== null, log, file);
  await rm(cwd, { recursive: true, force: true });
  return counts;
}

interface Watch extends JobRunSetting {
  readonly cwd: string;
  readonly file: string;
  readonly name: string;
}

async function watched(words: readonly string[], watch: Watch, log: JobLog): Promise<number> {
  const { cwd, file, signal } = watch;
  const written = createWriteStream(file);
  written.write(`${shownCommand(words)}\n`);
  const running = join(watch.scratch, RUNNING);
  const onError = (line: string): void => {
    written.write(`${line}\n`);
    const before = log.id;
    if (log.take(line)) watch.onStatus(log.progress);
    if (log.id !== before) void writeFile(running, log.id!).catch(() => {});
  };
  try {
    const code = await runCommand(words, { cwd, onError, ...(signal !== undefined && { signal }) });
    await rm(running, { force: true });
    return code;
  } catch (error) {
    if (signal?.aborted === true) await endLeftJob(watch);
    throw error;
  } finally {
    await closed(written);
  }
}

const closed = (stream: WriteStream): Promise<void> => new Promise((resolve) => stream.end(() => resolve()));

/** Name of the file with the job that runs on the cluster now. */
const RUNNING = 'running-job';

/** Ends the job that an earlier run left on the cluster, if one is known; ignores errors. */
export async function endLeftJob({
  command,
  scratch,
}: Pick<JobRunSetting, 'command' | 'scratch'>): Promise<void> {
  const running = join(scratch, RUNNING);
  const id = await readFile(running, 'utf8').catch(() => '');
  // A job of LocalJobRunner ends with its client, and needs no kill.
  if (/^job_\d+_\d+$/.test(id)) await runCommand([...command, 'job', '-kill', id]).catch(() => {});
  await rm(running, { force: true });
}

function failure(name: string, code: number, log: JobLog, file: string): MinHashError {
  const reasons = log.reasons.length === 0 ? ['its client said nothing more'] : log.reasons;
  const where = log.id === null ? '' : ` (${log.id})`;
  const onCluster = /^job_(\d+_\d+)$/.exec(log.id ?? '')?.[1];
  const ofTasks =
    onCluster === undefined
      ? ''
      : `; yarn logs -applicationId application_${onCluster} shows what its tasks said`;
  const said = reasons.join(' | ');
  const detail = `${name}${where}: its client ended with ${code}: ${said}; the log is ${file}${ofTasks}`;
  return new MinHashError({ code: 'JOB_FAILED', detail });
}

/** Hadoop's counts and those of our tasks must be equal; else records were lost without an error. */
function comparedCounts(name: string, hasReduce: boolean, log: JobLog, file: string): JobCounts {
  const refuse = (why: string): never => {
    throw new MinHashError({ code: 'JOB_COUNTS', detail: `${name}: ${why}; the log is ${file}` });
  };
  if (!log.hasCounters)
    refuse('its client printed no counters, expected those of the job: it needs a logger');
  const sums = new Map(log.taskCounters);
  let records = 0;
  for (const side of hasReduce ? (['map', 'reduce'] as const) : (['map'] as const)) {
    for (const way of ['in', 'out'] as const) {
      const title = `${side === 'map' ? 'Map' : 'Reduce'} ${way}put records`;
      const theirs = log.engineCounter(title) ?? 0;
      const ours = sums.get(`${side}.${way}`) ?? 0;
      if (theirs !== ours) refuse(`${title}: Hadoop counted ${theirs}, the tasks ${ours}`);
      sums.delete(`${side}.${way}`);
      records = theirs;
    }
  }
  return { read: log.engineCounter('Map input records') ?? 0, records, sums: Object.fromEntries(sums) };
}
