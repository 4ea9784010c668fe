/** The jobs of a run on an engine that sorts, for --dry-run: no job is started, and nothing is read or written. */
import type { Job, SortingEngine } from '../../engines/job.js';
import type { StreamedFiles } from '../../tasks/stream/fileColumns.js';
import { KINDS } from '../../tasks/stream/kinds.js';
import { FieldWriter, OneRecord, type RecordSource } from '../../tasks/stream/records.js';
import type { StageName } from '../../tasks/stream/stages.js';
import { clusterRecipe } from './clusterRecipe.js';
import { Jobs } from './jobs.js';

/** The counts of a usual run, by which its jobs follow one another: no record names an id, no bucket is hot. */
const COUNTED: Readonly<Partial<Record<StageName, Readonly<Record<string, number>>>>> = {
  wanted: { 'wanted documents': 1 },
  representatives: { 'pairs asked': 1 },
};

/** Notes jobs instead of running them, as if every file had one document. */
class NotedJobs implements SortingEngine {
  readonly jobs: Job[] = [];
  private readonly files: StreamedFiles;

  constructor(files: StreamedFiles) {
    this.files = files;
  }

  async run(job: Job) {
    this.jobs.push(job);
    const counts = job.stage === 'classes' || job.stage === 'gathered';
    return { sums: counts ? { documents: this.files.length } : (COUNTED[job.stage] ?? {}) };
  }

  async *read(job: string): AsyncIterable<RecordSource> {
    if (this.jobs.find(({ name }) => name === job)?.stage !== 'facts') return;
    for (let file = 0; file < this.files.length; file++) {
      const key = new FieldWriter().u8(KINDS.split).u32(file).u64(0);
      const bytes = Math.max(0, this.files.bytesOf(file));
      yield new OneRecord(key.view, new FieldWriter().u64(1).u64(1).u64(bytes).view);
    }
  }

  async write(): Promise<void> {}

  async side(name: string): Promise<string> {
    return name;
  }
}

/** The jobs of a usual run, in their order; more follow where records name ids or buckets are hot. */
export async function usualJobs(base: ConstructorParameters<typeof Jobs>[1]): Promise<readonly Job[]> {
  const engine = new NotedJobs(base.files);
  await clusterRecipe(new Jobs(engine, base), { byStars: false });
  return engine.jobs;
}
