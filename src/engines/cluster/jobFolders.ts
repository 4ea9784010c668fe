/**
 * The folders of jobs in the work folder: which are whole from an earlier attempt, and where the next attempt writes.
 *
 *      WORK/NNN-stage/ATTEMPT/part-00000 ...    what a job wrote, with _SUCCESS
 *      WORK/NNN-stage/_STATS.json               JobStats: written once the counts were compared, so it names the attempt that counts
 *
 * Each attempt has a folder of its own: a job that a lost driver left running does not write into that of the next.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { DatasetRecord, SortingEngine } from '../job.js';
import type { ClusterFiles, ListedPath } from './clusterFiles.js';

/** What is kept of a job that ended well. */
export interface JobStats {
  readonly job: string;
  /** Hash of everything that its output follows from. */
  readonly key: string;
  /** Name of the folder of its output. */
  readonly attempt: string;
  /** Records in its output. */
  readonly records: number;
  readonly sums: Readonly<Record<string, number>>;
  /** What its tasks took, where the engine knows it: milliseconds of the processor by what they did, and bytes. */
  readonly spent?: Readonly<Record<string, number>>;
}

/** What is kept of it, with the files of its output as they were: one that is missing or cut makes the job anew. */
interface KeptStats extends JobStats {
  readonly extent: Extent;
}

interface Extent {
  readonly files: number;
  readonly bytes: number;
}

/** Of the parts among files: what engines put beside them is of no interest. */
function extentOf(listed: readonly ListedPath[]): Extent {
  const parts = listed.filter(({ uri, isFolder }) => !isFolder && !/\/[._][^/]*$/.test(uri));
  return { files: parts.length, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const STATS = '_STATS.json';

/** A hash of what something follows from. */
export const keyOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

export class JobFolders {
  private readonly files: ClusterFiles;
  private readonly work: string;
  /** What was found there, or written since. */
  private readonly whole = new Map<string, JobStats>();
  private readonly present = new Set<string>();

  private constructor(files: ClusterFiles, work: string) {
    this.files = files;
    this.work = work;
  }

  /** Looks at what earlier attempts left. */
  static async open(files: ClusterFiles, work: string, isFresh = false): Promise<JobFolders> {
    const folders = new JobFolders(files, work);
    const listed = await files.list(work);
    if (listed === null) await files.makeFolder(work);
    else await folders.learn(listed, isFresh);
    return folders;
  }

  private async learn(listed: readonly ListedPath[], isFresh: boolean): Promise<void> {
    const from = listed.map(({ uri }) => uri.split('/').slice(this.work.split('/').length));
    for (const [name] of from) this.present.add(name!);
    if (isFresh) return;
    const finished = new Set(
      from.filter((parts) => parts[2] === '_SUCCESS').map(([name, attempt]) => `${name}/${attempt}`),
    );
    const kept = from.flatMap(([name, file]) => (file === STATS ? [this.statsOf(name!)] : []));
    for (const stats of await this.read(kept)) {
      const { job, attempt, extent } = stats;
      if (!finished.has(`${job}/${attempt}`)) continue;
      const output = `${this.work}/${job}/${attempt}/`;
      const { files, bytes } = extentOf(listed.filter(({ uri }) => uri.startsWith(output)));
      if (files === extent?.files && bytes === extent.bytes) this.whole.set(job, stats);
    }
  }

  /** A line of JSON each; those that are damaged are left out, perhaps with the one behind them. */
  private async read(uris: readonly string[]): Promise<readonly KeptStats[]> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.files.read(...uris)) chunks.push(chunk);
    return Buffer.concat(chunks)
      .toString()
      .split('\n')
      .flatMap((line) => {
        try {
          const stats = JSON.parse(line) as KeptStats | null;
          return stats?.job === undefined ? [] : [stats];
        } catch {
          return [];
        }
      });
  }

  /** The output of a job that need not run; null: it must. */
  wholeOf(name: string, key: string): JobStats | null {
    const stats = this.whole.get(name);
    return stats?.key === key ? stats : null;
  }

  /** A job that ended, of this run or an earlier one. @throws Error where there is none: our own defect */
  of(name: string): JobStats {
    const stats = this.whole.get(name);
    if (stats === undefined) throw new Error(`there is no dataset ${name}: our own defect`);
    return stats;
  }

  /** Where the output of a job that ended is. */
  outputOf(name: string): string {
    return `${this.work}/${name}/${this.of(name).attempt}`;
  }

  /** Deletes what is left of a job, and names the folder of its next attempt. */
  async begin(name: string): Promise<{ readonly attempt: string; readonly output: string }> {
    this.whole.delete(name);
    if (this.present.has(name)) await this.files.remove([`${this.work}/${name}`]);
    this.present.add(name);
    const attempt = `attempt-${randomBytes(4).toString('hex')}`;
    return { attempt, output: `${this.work}/${name}/${attempt}` };
  }

  async end(stats: JobStats): Promise<void> {
    const listed = (await this.files.list(`${this.work}/${stats.job}/${stats.attempt}`)) ?? [];
    const kept: KeptStats = { ...stats, extent: extentOf(listed) };
    await this.files.write(this.statsOf(stats.job), once(Buffer.from(`${JSON.stringify(kept)}\n`)));
    this.whole.set(stats.job, stats);
  }

  /** Makes a dataset of the recipe's own, in one file; its key is the hash of that. */
  async make(
    name: string,
    file: string,
    records: Parameters<SortingEngine['write']>[1],
    encoded: (records: AsyncIterable<DatasetRecord>) => AsyncIterable<Uint8Array>,
  ): Promise<Pick<JobStats, 'job' | 'key' | 'attempt' | 'records'>> {
    const { attempt, output } = await this.begin(name);
    const hash = createHash('sha256');
    let count = 0;
    const counted = async function* (): AsyncGenerator<DatasetRecord, void, undefined> {
      for await (const record of records) {
        count++;
        yield record;
      }
    };
    const chunks = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of encoded(counted())) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await this.files.write(`${output}/${file}`, chunks());
    await this.files.write(`${output}/_SUCCESS`, once(new Uint8Array(0)));
    return { job: name, key: hash.digest('hex').slice(0, 32), attempt, records: count };
  }

  /** Whether a file or folder of the work folder was there at the beginning. */
  isPresent(name: string): boolean {
    return this.present.has(name);
  }

  private statsOf(name: string): string {
    return `${this.work}/${name}/${STATS}`;
  }
}

/** Bytes as the one chunk of a stream. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
