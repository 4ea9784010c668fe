/** Reads the log of Hadoop's client: a job's name on the cluster, its progress, its counters, and why it failed. */

const GROUP_OF_ENGINE = 'Map-Reduce Framework';
const GROUP_OF_TASKS = 'mr-minhash';
const MOST_LINES = 6;
/** Most error lines that are kept, of tasks and of the client each. */
const MOST_KEPT = 200;

/** Lines that tasks print, and those of Hadoop about tasks that died. */
const OF_TASKS =
  /^(error|hint): |running beyond |subprocess (failed|exited)|Status : FAILED|killed on request/;
const OF_CLIENT =
  /\b(ERROR|FATAL)\b|Exception|^Error|^Caused by|No such file|not found|Streaming Command Failed/;
/** Lines of every failed job, or of no particular one. */
const EMPTY = /^\s+at |Streaming Command Failed|^\s*\.\.\. \d+ more/;

export class JobLog {
  /** The job's name on the cluster; null: not in the log yet. */
  id: string | null = null;
  /** `map 40 % reduce 0 %`; empty: not in the log yet. */
  progress = '';
  private readonly groups = new Map<string, Map<string, number>>();
  private readonly ofTasks: string[] = [];
  private readonly ofClient: string[] = [];
  private group: Map<string, number> | null = null;

  /** Reads a line; true: it has the progress. */
  take(line: string): boolean {
    if (line.startsWith('\t')) {
      this.takeCounter(line);
      return false;
    }
    if (/Counters: \d+\s*$/.test(line)) this.groups.clear();
    this.id = /Running job: (job_\w+)/.exec(line)?.[1] ?? this.id;
    const found = /\bmap (\d+)% reduce (\d+)%/.exec(line);
    if (found !== null) {
      this.progress = `map ${found[1]} % reduce ${found[2]} %`;
      return true;
    }
    if (EMPTY.test(line)) return false;
    if (OF_TASKS.test(line)) keep(this.ofTasks, line);
    else if (OF_CLIENT.test(line)) keep(this.ofClient, line);
    return false;
  }

  /** A counter of Hadoop, by its name in the log; null: it is not there. */
  engineCounter(name: string): number | null {
    return this.groups.get(GROUP_OF_ENGINE)?.get(name) ?? null;
  }

  /** The counters of our tasks. */
  get taskCounters(): ReadonlyMap<string, number> {
    return this.groups.get(GROUP_OF_TASKS) ?? new Map();
  }

  /** Whether the client printed counters at all. */
  get hasCounters(): boolean {
    return this.groups.has(GROUP_OF_ENGINE);
  }

  /** The lines that best explain why the job failed; those of tasks first. */
  get reasons(): readonly string[] {
    const lines = [...new Set([...this.ofTasks.slice(-MOST_LINES), ...this.ofClient.slice(-MOST_LINES)])];
    return lines.slice(0, MOST_LINES);
  }

  private takeCounter(line: string): void {
    if (!line.startsWith('\t\t')) {
      this.group = new Map();
      this.groups.set(line.trim(), this.group);
      return;
    }
    const at = line.lastIndexOf('=');
    if (at > 0) this.group?.set(line.slice(2, at), Number(line.slice(at + 1)));
  }
}

function keep(lines: string[], line: string): void {
  lines.push(line.trim());
  if (lines.length > MOST_KEPT) lines.shift();
}
