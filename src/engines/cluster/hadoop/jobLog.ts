/** What the log of Hadoop's client says of a job: its name on the cluster, how far it is, its counters, and why it failed. */

const GROUP_OF_ENGINE = 'Map-Reduce Framework';
const GROUP_OF_TASKS = 'mr-minhash';
const MOST_LINES = 6;
/** Of the failed lines that are kept. */
const MOST_KEPT = 200;

/** What tasks print themselves, and what the engine says of those that died. */
const OF_TASKS =
  /^(error|hint): |running beyond |subprocess (failed|exited)|Status : FAILED|killed on request/;
const OF_CLIENT =
  /\b(ERROR|FATAL)\b|Exception|^Error|^Caused by|No such file|not found|Streaming Command Failed/;
/** Said of every job that fails, or of none in particular. */
const EMPTY = /^\s+at |Streaming Command Failed|^\s*\.\.\. \d+ more/;

export class JobLog {
  /** On the cluster; null: it was not told yet. */
  id: string | null = null;
  /** `map 40 % reduce 0 %`; empty: nothing was told. */
  progress = '';
  private readonly groups = new Map<string, Map<string, number>>();
  private readonly ofTasks: string[] = [];
  private readonly ofClient: string[] = [];
  private group: Map<string, number> | null = null;

  /** True: the line tells progress. */
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

  /** A counter of the engine, by the name that it prints; null: it printed none. */
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

  /** The lines that say best why the job failed; those of tasks first. */
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
