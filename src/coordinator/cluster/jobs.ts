/** The jobs of a run on an engine that sorts: named in their order, each with its manifest. */
import type { Job, JobFacts, SortingEngine } from '../../engines/job.js';
import type { StageName } from '../../tasks/stream/stages.js';
import {
  type LearntTables,
  NOTHING_LEARNT,
  type SealedManifest,
  sealManifest,
  type TaskManifest,
} from '../../tasks/stream/taskManifest.js';

interface JobForm extends Pick<Job, 'ordered'> {
  readonly reducers?: Job['reducers'];
  /** Distinguishes the job from others of its stage. */
  readonly label?: string;
}

export interface JobDone extends JobFacts {
  readonly name: string;
}

/** What the tasks of a job counted under a name. */
export const sumOf = ({ sums }: JobFacts, what: string): number => sums[what] ?? 0;

export class Jobs {
  readonly engine: SortingEngine;
  private readonly onJob: (name: string) => void;
  private known: Omit<TaskManifest, 'job'>;
  private count = 0;
  private kept = 0;

  constructor(
    engine: SortingEngine,
    base: Omit<TaskManifest, keyof LearntTables | 'job'>,
    onJob: (name: string) => void = () => {},
  ) {
    this.engine = engine;
    this.known = { ...base, ...NOTHING_LEARNT };
    this.onJob = onJob;
  }

  /** The manifest of the next job. */
  get manifest(): Omit<TaskManifest, 'job'> {
    return this.known;
  }

  /** `jobsInAll`: the number of jobs so far; `jobs`: how many of them an earlier attempt had finished. */
  get resumed(): { readonly jobs: number; readonly jobsInAll: number } {
    return { jobs: this.kept, jobsInAll: this.count };
  }

  learn(tables: Partial<LearntTables>): void {
    this.known = { ...this.known, ...tables };
  }

  /** Writes side files for the tasks of later jobs, by name. `label` distinguishes them from others of these names. */
  async addSides(files: Readonly<Record<string, Uint8Array>>, label?: string): Promise<void> {
    const sides = { ...this.known.sides };
    for (const [name, bytes] of Object.entries(files))
      sides[name] = await this.engine.side(label === undefined ? name : `${name}-${label}`, bytes);
    this.learn({ sides });
  }

  /** Runs jobs with side files that those after them do without. */
  async withSides<T>(
    files: Readonly<Record<string, Uint8Array>>,
    label: string | undefined,
    run: () => Promise<T>,
  ): Promise<T> {
    const { sides } = this.known;
    await this.addSides(files, label);
    const made = await run();
    this.learn({ sides });
    return made;
  }

  /** Runs a stage over the outputs of jobs. */
  async run(stage: StageName, inputs: readonly string[], form: JobForm = {}): Promise<JobDone> {
    const { reducers = 'many', label, ordered } = form;
    const number = String(++this.count).padStart(3, '0');
    const name = `${number}-${stage}${label === undefined ? '' : `-${label}`}`;
    this.onJob(name);
    const manifest: SealedManifest = sealManifest({ ...this.known, job: name });
    const { sums, isKept } = await this.engine.run({
      ...{ name, stage, inputs, reducers, manifest },
      ...(ordered === true && { ordered }),
    });
    if (isKept === true) this.kept++;
    return { name, sums };
  }

  /** Calls `take` with every record in the output of a job, or with those of a kind; both views are valid until it returns. */
  async each(
    name: string,
    kind: number | undefined,
    take: (key: Uint8Array, value: Uint8Array) => void,
  ): Promise<void> {
    for await (const records of this.engine.read(name, kind))
      while (records.next()) take(records.key, records.value);
  }

  /** Writes records of the recipe as a dataset for later jobs; returns its name. */
  async write(label: string, records: Parameters<SortingEngine['write']>[1]): Promise<string> {
    const name = `${String(++this.count).padStart(3, '0')}-${label}`;
    await this.engine.write(name, records);
    return name;
  }
}
