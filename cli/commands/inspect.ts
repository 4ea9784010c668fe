/**
 * `mr-minhash inspect`: counts and top pairs of a result, or one pair, cluster or document in full.
 *
 * Reads results only through ResultReader.
 */

import { shownValue } from '../../src/options/values.js';
import { folderFaults, type WordFault } from '../argv.js';
import { INSPECT_FLAGS } from '../commandTable.js';
import { EXIT, reportFailure } from '../exit.js';
import { corpusOf, numberReader, type ParsedFlags } from '../flags.js';
import type { OpenResult, PairRow, ResultReader } from '../library.js';
import { counted } from '../show/amounts.js';
import { showAround } from '../show/result/around.js';
import { showCluster, showClusters } from '../show/result/clusters.js';
import { countLines } from '../show/result/counts.js';
import { showDocument } from '../show/result/document.js';
import { fraction, rowAsJson, showPair } from '../show/result/pair.js';
import { screenId, type Terminal } from '../terminal.js';

interface InspectContext {
  readonly terminal: Terminal;
  readonly openResult: OpenResult;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

interface InspectRequest {
  readonly folder: string;
  readonly top: number;
  /** Of a list in pages, from 1. */
  readonly page: number;
  readonly question: Question;
}

/** What is asked for; `around` with null: the threshold of the run. */
type Question =
  | { readonly of: 'result' }
  | { readonly of: 'clusters' }
  | { readonly of: 'pair'; readonly ids: readonly [string, string] }
  | { readonly of: 'document'; readonly id: string }
  | { readonly of: 'cluster'; readonly number: number }
  | { readonly of: 'around'; readonly threshold: number | null };

/** Flags that each ask for an answer of their own. */
const QUESTIONS = ['pair', 'document', 'clusters', 'cluster', 'around'] as const;

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
    await answer(await context.openResult(wish.folder, corpusOf(flags)), wish, flags.json === true, terminal);
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true, 'inspect');
  }
}

async function answer(
  reader: ResultReader,
  { question, top, page }: InspectRequest,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const rows = { top, skip: (page - 1) * top };
  const shown = { json, terminal };
  if (question.of === 'result') await showResult(reader, top, json, terminal);
  else if (question.of === 'pair') await showPair(reader, question.ids, json, terminal);
  else if (question.of === 'document') await showDocument(reader, question.id, top, shown);
  else if (question.of === 'clusters') await showClusters(reader, rows, json, terminal);
  else if (question.of === 'cluster') await showCluster(reader, question.number, rows, shown);
  else await showAround(reader, question.threshold ?? reader.threshold, top, shown);
}

/** The checked flags, or everything that is wrong with them. */
function readWish(
  folders: readonly string[],
  flags: ParsedFlags,
  wordFaults: readonly WordFault[],
): InspectRequest | string[] {
  const faults = wordFaults.map((fault) => fault.detail);
  faults.push(...folderFaults(folders));
  const number = numberReader(INSPECT_FLAGS, flags, (detail) => faults.push(detail));
  const top = number('top') ?? INSPECT_FLAGS.top.default;
  const page = number('page') ?? INSPECT_FLAGS.page.default;
  const cluster = number('cluster');
  const ids = (flags.pair ?? null) as readonly string[] | null;
  if (ids !== null && ids.length !== 2) faults.push(`--pair: expected two ids, got ${ids.length}`);
  if (flags.document === '') faults.push('--document "": expected an id or a place');
  const around = thresholdOf(flags.around, faults);
  faults.push(...conflicts(flags));
  if (faults.length > 0) return faults;
  const asked: Question =
    ids !== null
      ? { of: 'pair', ids: [ids[0]!, ids[1]!] }
      : typeof flags.document === 'string'
        ? { of: 'document', id: flags.document }
        : cluster !== null
          ? { of: 'cluster', number: cluster }
          : flags.around !== undefined
            ? { of: 'around', threshold: around }
            : flags.clusters === true
              ? { of: 'clusters' }
              : { of: 'result' };
  return { folder: folders[0]!, top, page, question: asked };
}

/** Flags that do not go together. */
function conflicts(flags: ParsedFlags): string[] {
  const faults: string[] = [];
  const asked = QUESTIONS.filter((key) => flags[key] !== undefined);
  if (asked.length > 1) {
    const names = asked.map((key) => `--${key}`).join(' ');
    faults.push(`${names}: expected one of them, got ${asked.length}`);
  }
  if (flags.top !== undefined && flags.pair !== undefined) {
    faults.push('--top --pair: expected one of the two, got both');
  }
  if (flags.page === undefined) return faults;
  if (flags.clusters === undefined && flags.cluster === undefined) {
    faults.push('--page: expected together with --clusters or --cluster only');
  } else if (flags.top === '0') faults.push('--page --top 0: expected at least 1 on a page');
  return faults;
}

/** The similarity of `--around`; null for the word. */
function thresholdOf(given: unknown, faults: string[]): number | null {
  if (given === undefined || given === 'threshold') return null;
  const value = /^(\d+(\.\d*)?|\.\d+)$/.test(String(given)) ? Number(given) : Number.NaN;
  if (value >= 0 && value <= 1) return value;
  faults.push(`--around ${shownValue(given)}: expected a number from 0 to 1, or the word threshold`);
  return null;
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
  for (const line of countLines(reader)) terminal.print(line);
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
  for (const row of rows) terminal.print(`${fraction(row.jaccard)}  ${screenId(row.a)}  ${screenId(row.b)}`);
}

function containmentText({ a, b, containmentAInB, containmentBInA }: PairRow): string {
  return `${fraction(containmentAInB)}  ${fraction(containmentBInA)}  ${screenId(a)}  ${screenId(b)}`;
}
