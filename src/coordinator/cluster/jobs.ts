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

export class Jobs {
  readonly engine: SortingEngine;
  private readonly base: Omit<TaskManifest, keyof LearntTables | 'job'>;
  private readonly onJob: (name: string) => void;
  private learnt: LearntTables = NOTHING_LEARNT;
  private count = 0;
  private kept = 0;

  constructor(
    engine: SortingEngine,
    base: Omit<TaskManifest, keyof LearntTables | 'job'>,
    onJob: (name: string) => void = () => {},
  ) {
    this.engine = engine;
    this.base = base;
    this.onJob = onJob;
  }

  get tables(): LearntTables {
    return this.learnt;
  }

  /** The part that the manifests of all jobs share. */
  get shared(): Pick<TaskManifest, 'params' | 'files' | 'hasOrder'> {
    return this.base;
  }

  /** `jobsInAll`: the number of jobs so far; `jobs`: how many of them an earlier attempt had finished. */
  get resumed(): { readonly jobs: number; readonly jobsInAll: number } {
    return { jobs: this.kept, jobsInAll: this.count };
  }

  learn(tables: Partial<LearntTables>): void {
    this.learnt = { ...this.learnt, ...tables };
  }

  /** Runs a stage over the outputs of jobs. */
  async run(stage: StageName, inputs: readonly string[], form: JobForm = {}): Promise<JobDone> {
    const { reducers = 'many', label, ordered } = form;
    const number = String(++this.count).padStart(3, '0');
    const name = `${number}-${stage}${label === undefined ? '' : `-${label}`}`;
    this.onJob(name);
    const manifest: SealedManifest = sealManifest({ ...this.base, ...this.learnt, job: name });
    const { sums, isKept } = await this.engine.run({
      ...{ name, stage, inputs, reducers, manifest },
      ...(ordered === true && { ordered }),
    });
    if (isKept === true) this.kept++;
    return { name, sums };
  }

  /** Writes records of the recipe as a dataset for later jobs; returns its name. */
  async write(label: string, records: Parameters<SortingEngine['write']>[1]): Promise<string> {
    const name = `${String(++this.count).padStart(3, '0')}-${label}`;
    await this.engine.write(name, records);
    return name;
  }
}
