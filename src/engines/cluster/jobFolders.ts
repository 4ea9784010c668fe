/**
 * The folders of jobs in the work folder: which outputs are whole from an earlier attempt, and where the next attempt writes.
 *
 *      WORK/NNN-stage/ATTEMPT/part-00000 ...    the output of a job, with _SUCCESS
 *      WORK/NNN-stage/_STATS.json               a hash, and KeptStats: written after the counts were compared; names the valid attempt
 *
 * Each attempt has a folder of its own: a job that a dead driver left running does not write into that of the next attempt.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { DatasetRecord, Job, JobFacts, SortingEngine } from '../job.js';
import type { ClusterFiles, ListedPath } from './clusterFiles.js';

/** What the engines of a cluster are told alike. */
export interface ClusterOptions {
  /** The command of the engine, as words. */
  readonly command: readonly string[];
  /** Settings of every job. */
  readonly conf: Readonly<Record<string, string>>;
  /** The folder that jobs share: an address, or a path of this machine. */
  readonly work: string;
  /** Reduce tasks of a job. */
  readonly reducers: number;
  /** The folder with task.cjs and its kernel. */
  readonly bundle: string;
  /** A folder of this machine for logs, manifests, side files and fetched records. */
  readonly local: string;
  /** Ignores all that earlier attempts left in the work folder: they had other options, or the run starts from the beginning. */
  readonly isFresh?: boolean;
  /** Ends what runs, and the run, with INTERRUPTED. */
  readonly signal?: AbortSignal;
}

/** An attempt at a job that succeeded. */
interface Attempt {
  readonly job: string;
  /** Hash of everything that determines its output. */
  readonly key: string;
  /** Name of the folder of its output. */
  readonly attempt: string;
}

/** What an attempt made. Stored. */
export interface MadeJob {
  /** Records in its output. */
  readonly records: number;
  readonly sums: Readonly<Record<string, number>>;
  /** Resources that its tasks used, where the engine measures them: processor milliseconds by purpose, and bytes. */
  readonly spent?: Readonly<Record<string, number>>;
}

/** The stored facts of a job; by the extent of its files, one that is missing or truncated is noticed: then it runs again. */
type KeptStats<Made> = Attempt & Made & { readonly extent: Extent };

interface Extent {
  readonly files: number;
  readonly bytes: number;
}

/** The extent of the parts among files, without the other files of the engine. */
function extentOf(listed: readonly ListedPath[]): Extent {
  const parts = listed.filter(({ uri, isFolder }) => !isFolder && !/\/[._][^/]*$/.test(uri));
  return { files: parts.length, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const STATS = '_STATS.json';
/** The folder of side files. */
export const SIDES = 'sides';

/** A hash of the values that determine something. */
export const keyOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** A hash of bytes for the name of their file. */
export const shortHash = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 12);

/** A line that shows where it is damaged. */
const hashed = (json: string): string => `${shortHash(Buffer.from(json))} ${json}`;

/** @typeParam Made what the engine stores of a job */
export class JobFolders<Made extends MadeJob = MadeJob> {
  private readonly files: ClusterFiles;
  private readonly work: string;
  /** Stored facts of whole jobs, found or written since. */
  private readonly whole = new Map<string, Attempt & Made>();
  private readonly present = new Set<string>();
  /** Addresses of side files, by name; an address has a hash of the content. */
  private readonly sides = new Map<string, string>();

  private constructor(files: ClusterFiles, work: string) {
    this.files = files;
    this.work = work;
  }

  /** Reads what earlier attempts left. */
  static async open<Made extends MadeJob = MadeJob>(
    files: ClusterFiles,
    work: string,
    isFresh = false,
  ): Promise<JobFolders<Made>> {
    const folders = new JobFolders<Made>(files, work);
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

  /** Reads a line of each file: a hash of JSON, and the JSON. Leaves out damaged ones, perhaps with the one after. */
  private async read(uris: readonly string[]): Promise<readonly KeptStats<Made>[]> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.files.read(...uris)) chunks.push(chunk);
    return Buffer.concat(chunks)
      .toString()
      .split('\n')
      .flatMap((line) => {
        const json = line.slice(line.indexOf(' ') + 1);
        return line === hashed(json) ? [JSON.parse(json) as KeptStats<Made>] : [];
      });
  }

  /**
   * Runs a job, unless its output is whole from an earlier attempt.
   *
   * @param more what determines the output beside the job
   * @param make writes the output into a folder, and _SUCCESS beside it at the end
   */
  async run(
    job: Job,
    more: unknown,
    make: (output: string, attempt: string) => Promise<Made>,
  ): Promise<JobFacts> {
    const { name, stage, reducers, manifest } = job;
    const inputs = job.inputs.map((input) => this.of(input).key);
    const sides = Object.values(manifest.sides).map((side) => this.sides.get(side));
    const key = keyOf(manifest.hash, stage, reducers, job.inputs, inputs, sides, more);
    const before = this.wholeOf(name, key);
    if (before !== null) return { sums: before.sums, isKept: true };
    const { attempt, output } = await this.begin(name);
    const made = await make(output, attempt);
    await this.end({ job: name, key, attempt, ...made });
    return { sums: made.sums };
  }

  /** The facts of a job that need not run; null: it must run. */
  wholeOf(name: string, key: string): (Attempt & Made) | null {
    const stats = this.whole.get(name);
    return stats?.key === key ? stats : null;
  }

  /** The facts of a job that ended, in this run or an earlier one. @throws Error where there is none: our own defect */
  of(name: string): Attempt & Made {
    const stats = this.whole.get(name);
    if (stats === undefined) throw new Error(`there is no dataset ${name}: our own defect`);
    return stats;
  }

  /** The folder of the output of a job that ended. */
  outputOf(name: string): string {
    return `${this.work}/${name}/${this.of(name).attempt}`;
  }

  /** Deletes the earlier output of a job, and names the folder of its next attempt. */
  async begin(name: string): Promise<{ readonly attempt: string; readonly output: string }> {
    this.whole.delete(name);
    if (this.present.has(name)) await this.files.remove([`${this.work}/${name}`]);
    this.present.add(name);
    const attempt = `attempt-${randomBytes(4).toString('hex')}`;
    return { attempt, output: `${this.work}/${name}/${attempt}` };
  }

  /** Deletes the output of a job, which a later attempt at the run makes anew. */
  async forget(name: string): Promise<void> {
    this.whole.delete(name);
    await this.files.remove([`${this.work}/${name}`]);
  }

  async end(stats: Attempt & Made): Promise<void> {
    const listed = (await this.files.list(`${this.work}/${stats.job}/${stats.attempt}`)) ?? [];
    const kept: KeptStats<Made> = { ...stats, extent: extentOf(listed) };
    await this.files.write(this.statsOf(stats.job), once(Buffer.from(`${hashed(JSON.stringify(kept))}\n`)));
    this.whole.set(stats.job, stats);
  }

  /** Writes a dataset of the recipe's own in one file, whose hash is the key. `madeOf`: what is stored of so many records. */
  async write(
    name: string,
    file: string,
    records: Parameters<SortingEngine['write']>[1],
    encoded: (records: AsyncIterable<DatasetRecord>) => AsyncIterable<Uint8Array>,
    madeOf: (records: number) => Made,
  ): Promise<void> {
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
    await this.end({ job: name, key: hash.digest('hex').slice(0, 32), attempt, ...madeOf(count) });
  }

  /** Writes a side file for the tasks of later jobs. */
  async side(name: string, bytes: Uint8Array): Promise<void> {
    const address = `${this.work}/${SIDES}/${name}-${shortHash(bytes)}`;
    await this.files.write(address, once(bytes));
    this.sides.set(name, address);
  }

  /** The address of a side file. @throws Error where there is none: our own defect */
  sideOf(name: string): string {
    const address = this.sides.get(name);
    if (address === undefined) throw new Error(`there is no side file ${name}: our own defect`);
    return address;
  }

  /** Whether the work folder had a file or folder of that name at the beginning, or a job began there since. */
  isPresent(name: string): boolean {
    return this.present.has(name);
  }

  private statsOf(name: string): string {
    return `${this.work}/${name}/${STATS}`;
  }
}

/** A stream of one chunk. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
