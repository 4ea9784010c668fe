/**
 * Runs the statements on an engine, table after table. Reuses a table that an earlier attempt completed from the same inputs,
 * parameters, program and statements.
 */
import { createHash } from 'node:crypto';
import { MinHashError } from '../../errors.js';
import type { Dialect } from './dialects.js';
import type { ResultQuery } from './resultQueries.js';
import type { SqlStep, TaskStep } from './statements.js';

/** A cell of a small result. */
export type SqlValue = string | null;

/** An engine that runs SQL over tables in a work folder. Statements run one after the other. */
export interface SqlExecutor {
  /** Name and version, for statistics. */
  readonly name: string;
  readonly dialect: Dialect;
  /** Creates a table from rows of cells without tabs and line feeds. */
  load(name: string, columns: Readonly<Record<string, string>>, lines: Iterable<string>): Promise<void>;
  view(name: string, sql: string): Promise<void>;
  /** Creates a table atomically, and returns the name of this attempt, for `attach`. */
  table(name: string, sql: string): Promise<string>;
  /** The same, from the rows of a task. */
  task(step: TaskStep): Promise<string>;
  /** Uses a table of an earlier attempt; false if it does not exist. */
  attach(name: string, attempt: string): Promise<boolean>;
  values(sql: string): Promise<SqlValue[][]>;
  /** The rows of a query in order, as cells separated by tabs. */
  rows(query: ResultQuery): AsyncIterable<string>;
  /** The notes of completed tables; null if there are none. */
  readNotes(): Promise<string | null>;
  writeNotes(text: string): Promise<void>;
  /** Removes the tables of all attempts, and the notes. */
  removeTables(): Promise<void>;
  close(): Promise<void>;
}

/** Completed tables: a hash of their inputs, and the attempt that created them. */
type DoneTables = Record<string, { readonly hash: string; readonly attempt: string }>;

/** The notes of completed tables. They contain no locations, so that forged notes cannot refer to other files. */
function parsedNotes(text: string | null): DoneTables {
  try {
    return JSON.parse(text ?? '{}') as DoneTables;
  } catch {
    return {};
  }
}

/** Maximum number of rounds of a loop; a chain of 2^30 documents needs fewer. */
const MOST_ROUNDS = 64;

interface StepRun {
  readonly executor: SqlExecutor;
  /** A hash of inputs, parameters and program. */
  readonly inputs: string;
  readonly onTable?: (name: string, isReused: boolean) => void;
}

/**
 * Runs the steps; returns the results of number steps.
 *
 * @throws MinHashError SPARK_ROWS_LOST if a check fails, INPUT_CHANGED if an input changed, and errors of the engine
 */
export async function runSteps(steps: readonly SqlStep[], { executor, inputs, onTable }: StepRun) {
  const numbers: Record<string, number> = {};
  const notes = parsedNotes(await executor.readNotes());
  let hash = inputs;
  const filled = (sql: string): string =>
    Object.entries(numbers).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, String(value)), sql);
  const add = (name: string, text: string): void => {
    hash = createHash('sha256').update(`${hash}\n${name}\n${text}`).digest('hex');
  };
  const makeView = (name: string, sql: string): Promise<void> => {
    add(name, sql);
    return executor.view(name, sql);
  };
  const makeTable = async (name: string, text: string, make: () => Promise<string>): Promise<void> => {
    add(name, text);
    const note = notes[name];
    const isNoted = note?.hash === hash && /^[0-9a-f]+$/.test(note.attempt);
    const isReused = isNoted && (await executor.attach(name, note.attempt));
    if (!isReused) {
      notes[name] = { hash, attempt: await make() };
      await executor.writeNotes(JSON.stringify(notes));
    }
    onTable?.(name, isReused);
  };
  for (const step of steps) {
    switch (step.kind) {
      case 'table': {
        const sql = filled(step.sql);
        await makeTable(step.name, sql, () => executor.table(step.name, sql));
        break;
      }
      case 'task': {
        const task = { ...step, from: filled(step.from), sql: filled(step.sql) };
        await makeTable(step.name, JSON.stringify(task), () => executor.task(task));
        break;
      }
      case 'view':
        await makeView(step.name, filled(step.sql));
        break;
      case 'number':
        numbers[step.name] = step.of((await executor.values(step.sql)).map((row) => row.map(Number)));
        break;
      case 'check':
        await mustHold(step, await executor.values(`${filled(step.sql)} LIMIT 3`));
        break;
      case 'loop':
        await repeat(step);
    }
  }
  return numbers;

  async function repeat({
    name,
    start,
    steps: rounds,
    until,
  }: Extract<SqlStep, { kind: 'loop' }>): Promise<void> {
    let last = `${name}_0`;
    await makeView(last, start);
    for (let round = 1; ; round++) {
      if (round > MOST_ROUNDS) throw new Error(`${name}: more than ${MOST_ROUNDS} rounds`);
      for (const [i, step] of rounds.entries()) {
        const next = `${name}_${round}_${i}`;
        const sql = step.replaceAll('{in}', last).replaceAll('{out}', next);
        await makeTable(next, sql, () => executor.table(next, sql));
        last = next;
      }
      const [[left]] = (await executor.values(until.replaceAll('{out}', last))) as [[SqlValue]];
      if (Number(left) === 0) break;
    }
    await makeView(name, `SELECT hi, lo FROM ${last}`);
  }
}

function mustHold({ fact, isInput }: Extract<SqlStep, { kind: 'check' }>, rows: readonly SqlValue[][]): void {
  if (rows.length === 0) return;
  const detail = `expected: ${fact}; found ${rows.map((row) => row.join(' ')).join(', ')}`;
  throw new MinHashError({ code: isInput ? 'INPUT_CHANGED' : 'SPARK_ROWS_LOST', detail });
}

/** The statements as text, each with a comment. Computed numbers and the tables of rounds are names in braces. */
export function statementsText(steps: readonly SqlStep[]): string {
  return steps
    .flatMap(titledStatements)
    .map(([title, sql]) => `-- ${title}\n${sql};\n`)
    .join('\n');
}

type Titled = readonly [title: string, sql: string];

function titledStatements(step: SqlStep): readonly Titled[] {
  switch (step.kind) {
    case 'check':
      return [[`check, expects no rows: ${step.fact}`, step.sql]];
    case 'number':
      return [[`number {${step.name}}, computed from these rows`, step.sql]];
    case 'view':
    case 'table':
      return [[`${step.kind} ${step.name}`, step.sql]];
    case 'loop':
      return [
        [`view ${step.name}, before the first round`, step.start],
        ...step.steps.map(
          (sql, i): Titled => [`table ${step.name}, round, part ${i + 1}: from {in} to {out}`, sql],
        ),
        [`number of rows of ${step.name} that need another round; 0 ends the loop`, step.until],
      ];
    case 'task':
      return [
        [`input of task ${step.task}, one process per ${step.by}, sorted by ${step.sort}`, step.from],
        [`table ${step.name}, from the output of task ${step.task}`, step.sql],
      ];
  }
}
