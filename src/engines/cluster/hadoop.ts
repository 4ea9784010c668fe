/**
 * The Hadoop engine: a job is a Hadoop Streaming job, run by the user's own command. Datasets are folders of sequence files; the
 * counts of tasks are compared with those of Hadoop, and a job whose output is whole from an earlier attempt does not run again.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { RecordSource } from '../../tasks/stream/records.js';
import { STAGES } from '../../tasks/stream/stages.js';
import type { DatasetRecord, Job, JobFacts, SortingEngine } from '../job.js';
import { type ClusterFiles, clusterFiles } from './clusterFiles.js';
import { refuseMissing, shownCommand } from './command.js';
import { endLeftJob, type JobRunSetting, jobCommand, runStreamingJob } from './hadoop/jobRun.js';
import { routesFor } from './hadoop/routes.js';
import { recordsOfSequenceFile, sequenceFileOf } from './hadoop/sequenceFile.js';
import { findStreamingJar } from './hadoop/streamingJar.js';
import {
  MANIFEST,
  nodeProgram,
  propertiesOf,
  propertiesXml,
  type StreamingJob,
} from './hadoop/streamingWords.js';
import { archiveName, archiveOf } from './hadoop/taskArchive.js';
import { type ClusterOptions, JobFolders, keyOf, type MadeJob, SIDES } from './jobFolders.js';
import { storedRecords } from './storedRecords.js';

/** @internal */
export interface HadoopOptions extends ClusterOptions {
  /** Whether to ship this Node program. */
  readonly shipNode: boolean;
  /** Gets the progress of a job: `map 40 % reduce 0 %`. */
  readonly onStatus?: (job: string, line: string) => void;
}

/** The state that the engine sets up before its first job. */
interface Opened {
  /** The cluster's address of the work folder. */
  readonly work: string;
  readonly folders: JobFolders;
  readonly jar: string;
  readonly archive: string;
}

/** @internal */
export class HadoopEngine implements SortingEngine {
  /** The file systems of the cluster, by the same command. */
  readonly files: ClusterFiles;
  private readonly options: HadoopOptions;
  private readonly scratch: string;
  private opening: Promise<Opened> | null = null;

  constructor(options: HadoopOptions) {
    this.options = options;
    this.scratch = shippable(join(options.local, 'hadoop'));
    const { command, signal, conf } = options;
    const settings = Object.entries(conf).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
    this.files = clusterFiles({
      shell: [...command, 'fs', ...settings],
      ...(signal !== undefined && { signal }),
    });
  }

  routes(ranges: number): readonly number[] {
    return routesFor(ranges, this.options.reducers);
  }

  async run(job: Job): Promise<JobFacts> {
    const { folders } = await this.opened();
    return folders.run(job, this.reducersOf(job), (output) => this.runAnew(job, output));
  }

  private async runAnew(job: Job, output: string): Promise<MadeJob> {
    const { work, folders, jar, archive } = await this.opened();
    const manifest = join(this.scratch, `${job.name}.json`);
    await writeFile(manifest, JSON.stringify(job.manifest));
    const inputs = job.inputs.map((name) => folders.outputOf(name));
    const form = { manifest: `file:${manifest}`, archive: `${work}/${archive}`, inputs, output };
    const made = await runStreamingJob(
      job.name,
      this.streamingJob(job, form, (name) => folders.sideOf(name)),
      {
        ...{
          command: this.options.command,
          jar,
          logs: join(this.options.local, 'logs'),
          scratch: this.scratch,
        },
        onStatus: (line) => this.options.onStatus?.(job.name, line),
        ...(this.options.signal !== undefined && { signal: this.options.signal }),
      } satisfies JobRunSetting,
    );
    const given = job.inputs.reduce((sum, name) => sum + folders.of(name).records, 0);
    if (job.inputs.length > 0 && made.read !== given) {
      const detail = `${job.name}: Hadoop read ${made.read} records of ${job.inputs.join(', ')}, which wrote ${given}`;
      throw new MinHashError({ code: 'JOB_COUNTS', detail });
    }
    return made;
  }

  private streamingJob(
    job: Job,
    form: { manifest: string; archive: string; inputs: readonly string[]; output: string },
    sideOf: (name: string) => string,
  ): StreamingJob {
    const stage: StreamingJob['form'] = STAGES[job.stage];
    const sides = Object.values(job.manifest.sides).map((name) => [sideOf(name), name] as const);
    return {
      title: `mr-minhash ${job.name} of run ${job.manifest.run}`,
      ...{ stage: job.stage, form: stage, reducers: this.reducersOf(job) },
      inputs: stage.kinds === null ? job.manifest.files.each().map(({ uri }) => uri) : form.inputs,
      output: form.output,
      node: nodeProgram(this.options.shipNode),
      files: [[form.manifest, MANIFEST], ...sides],
      archive: form.archive,
      conf: this.options.conf,
    };
  }

  private reducersOf({ reducers }: Pick<Job, 'reducers'>): number {
    return reducers === 'one' ? 1 : this.options.reducers;
  }

  async *read(job: string, kind?: number): AsyncGenerator<RecordSource, void, undefined> {
    const { folders } = await this.opened();
    const dataset = { job, folder: folders.outputOf(job), records: folders.of(job).records };
    const { files, scratch } = this;
    yield* storedRecords(dataset, { files, scratch, decode: recordsOfSequenceFile }, kind);
  }

  async write(name: string, records: Parameters<SortingEngine['write']>[1]): Promise<void> {
    const { folders } = await this.opened();
    const encoded = (counted: AsyncIterable<DatasetRecord>) => sequenceFileOf(counted, name);
    await folders.write(name, 'part-00000', records, encoded, (count) => ({ records: count, sums: {} }));
  }

  async side(name: string, bytes: Uint8Array): Promise<string> {
    await (await this.opened()).folders.side(name, bytes);
    return name;
  }

  /** The commands that would run the jobs; starts, writes and searches nothing but the jar. */
  dryRun(jobs: readonly Job[]): string {
    const { command, work, local } = this.options;
    refuseUnshippable(work);
    const jar = this.jarHere();
    return jobs
      .map((job) => {
        const inputs = job.inputs.map((name) => `${work}/${name}`);
        const form = {
          manifest: join(this.scratch, `${job.name}.json`),
          ...{ archive: `${work}/mr-minhash.tgz`, inputs, output: `${work}/${job.name}` },
        };
        // A side file's hash is known only when it is made.
        const planned = this.streamingJob(job, form, (name) => `${work}/${SIDES}/${name}`);
        const confFile = join(local, 'hadoop', `${job.name}.xml`);
        const words = jobCommand({ command, jar }, planned, confFile);
        const properties = propertiesXml(propertiesOf(planned)).split('\n').slice(2, -2);
        return [
          `# ${job.name}: ${confFile} has`,
          ...properties.map((row) => `#${row}`),
          shownCommand(words),
          '',
        ].join('\n');
      })
      .join('\n');
  }

  /**
   * @throws MinHashError ENGINE_UNUSABLE where the command or the streaming jar is missing, or where Hadoop cannot ship files
   * from the work folder
   */
  check(): void {
    refuseMissing(this.options.command[0]!, '--hadoop-command');
    this.jar();
    refuseUnshippable(this.options.work);
  }

  private jar(): string {
    return findStreamingJar(this.options.command[0]!, process.env);
  }

  /** The path of the jar; its usual name where there is none. */
  private jarHere(): string {
    try {
      return this.jar();
    } catch {
      return 'hadoop-streaming.jar';
    }
  }

  /** Removes the scratch folder; no process stays open between jobs. */
  async close(): Promise<void> {
    await rm(this.scratch, { recursive: true, force: true });
  }

  private opened(): Promise<Opened> {
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<Opened> {
    const { options, files } = this;
    await mkdir(this.scratch, { recursive: true });
    const jar = this.jar();
    await endLeftJob({ command: options.command, scratch: this.scratch });
    const work = await files.qualified(options.work);
    const folders = await JobFolders.open(files, work, options.isFresh === true);
    const node = options.shipNode ? process.execPath : null;
    const archive = await archiveName(options.bundle, node);
    if (!folders.isPresent(archive)) await files.write(`${work}/${archive}`, archiveOf(options.bundle, node));
    return { work, folders, jar, archive };
  }
}

/** Characters of a path that Hadoop's -files does not take, encoded or not. */
const UNSHIPPABLE = /[\s<>"{}|\\^`%,#?*[\]]/;

/** @throws MinHashError ENGINE_UNUSABLE */
function refuseUnshippable(work: string): void {
  if (!UNSHIPPABLE.test(work)) return;
  const detail = `the folder that jobs share is ${work}, and Hadoop ships no files from there: expected no spaces and none of <>"{}|\\^\`%,#?*[] in its name; --cluster-work names another`;
  throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
}

/** The folder, or a temporary one where Hadoop cannot ship files from it. */
function shippable(folder: string): string {
  return UNSHIPPABLE.test(folder) ? join(tmpdir(), `mr-minhash-${keyOf(folder)}`) : folder;
}
