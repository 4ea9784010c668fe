/**
 * The output of a benchmark: a table on standard output and, with `--out`, raw figures as JSON and a section of
 * `summary.md` with the command, versions, machine and load.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';

export type Row = readonly (string | number)[];

export interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
}

export interface Environment {
  readonly date: string;
  readonly machine: string;
  readonly commit: string;
  readonly version: string;
  readonly node: string;
  readonly command: string;
  readonly loadBefore: readonly number[];
}

const ROOT = new URL('../../../', import.meta.url);

function commitOf(): string {
  try {
    const options = { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' } as const;
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim();
    const changed = execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], options).trim();
    return changed === '' ? commit : `${commit} with changes`;
  } catch {
    return 'unknown';
  }
}

/** The environment at this moment; call it before anything is run. */
export function environment(): Environment {
  const [cpu] = cpus();
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string };
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} x ${cpu?.model.trim() ?? 'unknown'}, ${gigabytes} GiB, Linux ${release()} ${arch()}`,
    commit: commitOf(),
    version,
    node: process.version,
    command: withoutFolders(`node ${process.argv.slice(1).map(shown).join(' ')}`),
    loadBefore: loadavg().map((load) => Number(load.toFixed(2))),
  };
}

function shown(argument: string): string {
  const root = decodeURIComponent(ROOT.pathname);
  return argument.startsWith(root) ? argument.slice(root.length) : argument;
}

/** Replaces absolute paths by their last names, because folders of this machine mean nothing elsewhere. */
export function withoutFolders(text: string): string {
  return text.replace(/(^|[\s='"(])\/(?:[^\s/'"]+\/)*([^\s/'"]+)/g, '$1.../$2');
}

/** Numbers, also formatted ones, and empty cells. */
function isNumeric(cell: string | number): boolean {
  return typeof cell === 'number' || /^[\d.]*$/.test(cell);
}

/** A table as Markdown; columns of numbers are aligned to the right. */
export function markdown({ heads, rows }: Table): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const rules = heads.map((_, i) => (rows.every((row) => isNumeric(row[i] ?? '')) ? '---:' : '---'));
  return [line(heads), `|${rules.join('|')}|`, ...rows.map(line)].join('\n');
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'string' ? withoutFolders(value) : value;
}

/** Prints the table, and adds raw figures and table to the folder of a run. */
export function record(
  name: string,
  question: string,
  where: Environment,
  table: Table,
  raw: unknown,
  out: string | undefined,
): void {
  const loadAfter = loadavg().map((load) => Number(load.toFixed(2)));
  console.log(markdown(table));
  if (out === undefined) return;
  mkdirSync(out, { recursive: true });
  writeFileSync(
    join(out, `${name}.json`),
    `${JSON.stringify({ name, ...where, loadAfter, raw }, plain, 1)}\n`,
  );
  const summary = join(out, 'summary.md');
  if (!existsSync(summary)) writeFileSync(summary, `# Benchmarks of ${where.date}\n\n${where.machine}\n`);
  const facts = [
    `Command: \`${where.command}\``,
    `mr-minhash ${where.version} at ${where.commit}, ` +
      `Node ${where.node}; load average before ` +
      `${where.loadBefore.join(' ')}, after ${loadAfter.join(' ')}. Raw figures: ${name}.json.`,
  ];
  appendFileSync(summary, `\n## ${name}: ${question}\n\n${facts.join('\n')}\n\n${markdown(table)}\n`);
}
