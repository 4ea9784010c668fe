/**
 * `mr-minhash inspect`: counts and top pairs of a result, or one pair in full.
 *
 * Reads results only through ResultReader.
 */

import type { WordFault } from '../argv.js';
import { INSPECT_FLAGS } from '../commandTable.js';
import { EXIT, reportFailure } from '../exit.js';
import { numberReader, type ParsedFlags } from '../flags.js';
import type { Counts, OpenResult, PairRow, ResultReader } from '../library.js';
import { counted, grouped } from '../show/amounts.js';
import { fraction, rowAsJson, showPair } from '../show/pair.js';
import { shownId, type Terminal } from '../terminal.js';

interface InspectContext {
  readonly terminal: Terminal;
  readonly openResult: OpenResult;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

interface InspectRequest {
  readonly folder: string;
  readonly top: number;
  readonly pair: readonly [string, string] | null;
}

const USUAL_TOP = 10;

/** Runs the command and returns the exit code; errors are reported here. */
export async function inspectCommand(
  folders: readonly string[],
  flags: ParsedFlags,
  context: InspectContext,
): Promise<number> {
  const { terminal } = context;
  const wish = readWish(folders, flags, context.wordFaults ?? []);
  if (Array.isArray(wish)) {
    for (const fault of wish) terminal.say(`error: ${fault}`);
    terminal.say(`hint: ${terminal.command} inspect --help lists every option with its values`);
    return EXIT.use;
  }
  try {
    const reader = await context.openResult(wish.folder);
    const json = flags.json === true;
    if (wish.pair === null) await showResult(reader, wish.top, json, terminal);
    else await showPair(reader, wish.pair, json, terminal);
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true);
  }
}

/** The checked flags, or everything that is wrong with them. */
function readWish(
  folders: readonly string[],
  flags: ParsedFlags,
  wordFaults: readonly WordFault[],
): InspectRequest | string[] {
  const faults = wordFaults.map((fault) => fault.detail);
  if (folders.length === 0) faults.push('no DIR was given');
  if (folders.length > 1) faults.push(`DIR ${folders.join(' ')}: expected one, got ${folders.length}`);
  const top = numberReader(INSPECT_FLAGS, flags, (detail) => faults.push(detail))('top') ?? USUAL_TOP;
  const ids = (flags.pair ?? null) as readonly string[] | null;
  if (ids !== null && ids.length !== 2) {
    faults.push(`--pair: expected two ids, got ${ids.length}`);
  }
  if (ids !== null && flags.top !== undefined) faults.push('--top --pair: expected one of the two, got both');
  if (faults.length > 0) return faults;
  return { folder: folders[0]!, top, pair: ids === null ? null : [ids[0]!, ids[1]!] };
}

async function showResult(
  reader: ResultReader,
  top: number,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const rows = top === 0 ? [] : await reader.topPairs(top);
  if (json) {
    const { counts, estimated, byContainment } = reader;
    terminal.printJson({ counts, estimated, by_containment: byContainment, top: rows.map(rowAsJson) });
    return;
  }
  for (const line of countLines(reader.counts)) terminal.print(line);
  if (top === 0) return;
  terminal.print('');
  if (rows.length === 0) {
    terminal.print('no near pairs');
    return;
  }
  if (reader.byContainment) {
    terminal.print(`${counted(rows.length, 'near pair')}, by how much of one is in the other:`);
    terminal.print('a in b    b in a    a  b');
    for (const row of rows) terminal.print(containmentText(row));
    return;
  }
  terminal.print(`${counted(rows.length, 'near pair')}, the most alike first:`);
  terminal.print(`${reader.estimated ? 'estimate' : 'jaccard '}  a  b`);
  for (const row of rows) terminal.print(`${fraction(row.jaccard)}  ${shownId(row.a)}  ${shownId(row.b)}`);
}

function containmentText({ a, b, containmentAInB, containmentBInA }: PairRow): string {
  return `${fraction(containmentAInB)}  ${fraction(containmentBInA)}  ${shownId(a)}  ${shownId(b)}`;
}

/** `name  count`, right-aligned counts; nested ones (skipped by reason) indented. */
export function countLines(counts: Counts): string[] {
  const rows: [string, string][] = [];
  for (const [name, value] of Object.entries(counts)) {
    if (typeof value === 'number') {
      rows.push([name.replaceAll('_', ' '), grouped(value)]);
      continue;
    }
    const inner = Object.entries(value);
    rows.push([name.replaceAll('_', ' '), grouped(inner.reduce((sum, [, count]) => sum + count, 0))]);
    for (const [reason, count] of inner) rows.push([`  ${reason}`, grouped(count)]);
  }
  const nameWidth = Math.max(0, ...rows.map(([name]) => name.length));
  const countWidth = Math.max(0, ...rows.map(([, count]) => count.length));
  return rows.map(([name, count]) => `${name.padEnd(nameWidth)}  ${count.padStart(countWidth)}`);
}
