/**
 * `mr-minhash inspect`: counts and top pairs of a result, or one pair in full.
 *
 * Floor 5. Reads results only through ResultReader.
 */
import { MinHashError } from '../src/errors.js';
import { counted, grouped } from './amounts.js';
import { EXIT, reportFailure } from './failure.js';
import type { ParsedFlags } from './flags.js';
import type {
  CandidateRow,
  ClusterRow,
  Counts,
  OpenResult,
  PairRow,
  PairTexts,
  ResultReader,
} from './resultReader.js';
import { sharedEnds, sideBySideLines, stretchesOf } from './sideBySide.js';
import { idText, type Terminal } from './terminal.js';
import type { WordFault } from './words.js';

export interface InspectContext {
  readonly terminal: Terminal;
  readonly openResult: OpenResult;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

interface Wish {
  readonly folder: string;
  readonly top: number;
  readonly pair: readonly [string, string] | null;
}

/** All that is known about one pair. */
interface PairView {
  readonly a: string;
  readonly b: string;
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
  readonly clusterOfA: ClusterPlace | null;
  readonly clusterOfB: ClusterPlace | null;
  readonly texts: PairTexts;
}

/** Where one document stands in its cluster. */
interface ClusterPlace extends ClusterRow {
  readonly representative: string;
  /** Documents of the cluster. */
  readonly size: number;
}

const USUAL_TOP = 10;
const MOST_TOP = 1_000_000;

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
    terminal.say('hint: mr-minhash inspect --help lists every option with its values');
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
): Wish | string[] {
  const faults = wordFaults.map((fault) => fault.detail);
  if (folders.length === 0) faults.push('no DIR was given');
  if (folders.length > 1) faults.push(`DIR ${folders.join(' ')}: expected one, got ${folders.length}`);
  const top = flags.top ?? String(USUAL_TOP);
  const count = /^\d+$/.test(String(top)) ? Number(top) : Number.NaN;
  if (!(count >= 0 && count <= MOST_TOP)) {
    faults.push(`--top ${String(top)}: expected an integer from 0 to ${MOST_TOP}`);
  }
  const ids = (flags.pair ?? null) as readonly string[] | null;
  if (ids !== null && ids.length !== 2) {
    faults.push(`--pair: expected two ids, got ${ids.length}`);
  }
  if (ids !== null && flags.top !== undefined) faults.push('--top --pair: expected one of the two, got both');
  if (faults.length > 0) return faults;
  return { folder: folders[0]!, top: count, pair: ids === null ? null : [ids[0]!, ids[1]!] };
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
  for (const row of rows) terminal.print(`${fraction(row.jaccard)}  ${idText(row.a)}  ${idText(row.b)}`);
}

function containmentText({ a, b, containmentAB, containmentBA }: PairRow): string {
  return `${fraction(containmentAB)}  ${fraction(containmentBA)}  ${idText(a)}  ${idText(b)}`;
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

async function showPair(
  reader: ResultReader,
  written: readonly [string, string],
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const view = await pairView(reader, reader.idOf(written[0]), reader.idOf(written[1]));
  if (json) {
    terminal.printJson(pairAsJson(view, reader.estimated));
    return;
  }
  for (const line of pairLines(view, reader)) terminal.print(line);
  terminal.print('');
  showTexts(view.texts, reader.ofSets, terminal);
}

/** Ids in the order of the result files, so that both ways of asking give one answer. */
async function pairView(reader: ResultReader, first: string, second: string): Promise<PairView> {
  // Char codes are bytes, so this is the order of bytes.
  const [a, b] = first <= second ? [first, second] : [second, first];
  const { pair, candidate } = await reader.findPair(a, b);
  const clusterOfA = placeOf(a, await reader.findCluster(a));
  const clusterOfB = placeOf(b, await reader.findCluster(b));
  const texts = await reader.texts(a, b);
  const listed = pair !== null || candidate !== null;
  if (!listed && texts.state === 'gone' && (texts.id === a ? clusterOfA : clusterOfB) === null) {
    // In no result file and without a text: nothing at all is known of it.
    throw new MinHashError({ code: 'DOCUMENT_UNKNOWN', detail: idText(texts.id) });
  }
  return { a, b, pair, candidate, clusterOfA, clusterOfB, texts };
}

function placeOf(id: string, rows: readonly ClusterRow[]): ClusterPlace | null {
  const row = rows.find((entry) => entry.document === id);
  if (row === undefined) return null;
  const representative = rows.find((entry) => entry.role === 'representative')?.document ?? id;
  return { ...row, representative, size: rows.length };
}

function pairLines(view: PairView, { estimated, ofSets }: ResultReader): string[] {
  return [
    `a  ${idText(view.a)}`,
    `b  ${idText(view.b)}`,
    ...valueLines(view, estimated),
    clusterLine('a', view.clusterOfA, ofSets),
    clusterLine('b', view.clusterOfB, ofSets),
  ];
}

function valueLines({ pair, candidate }: PairView, estimated: boolean): string[] {
  if (pair !== null) {
    const isEstimate = estimated && pair.kind === 'near';
    return [
      `kind                ${pair.kind}`,
      `jaccard             ${fraction(pair.jaccard)}${isEstimate ? ' (an estimate)' : ''}`,
      `agreement           ${fraction(pair.agreement)}`,
      `containment a in b  ${fraction(pair.containmentAB)}`,
      `containment b in a  ${fraction(pair.containmentBA)}`,
    ];
  }
  if (candidate === null) return ['no row in pairs, and never a candidate'];
  return [
    'a candidate that was not accepted',
    `jaccard             ${fraction(candidate.jaccard)}`,
    `agreement           ${fraction(candidate.agreement)}`,
  ];
}

function clusterLine(name: string, place: ClusterPlace | null, ofSets: boolean): string {
  if (place === null) return `${name} is in no cluster`;
  const where = `${name} is in cluster ${place.cluster} of ${counted(place.size, ofSets ? 'set' : 'document')}`;
  if (place.role === 'representative') return `${where}, as its representative`;
  const basis = place.basis === 'exact' ? '' : ' (an estimate)';
  const similarity = `${fraction(place.similarity)}${basis}`;
  return `${where}, ${similarity} to its representative ${idText(place.representative)}`;
}

function showTexts(texts: PairTexts, ofSets: boolean, terminal: Terminal): void {
  if (texts.state !== 'found') {
    const subject = ofSets ? 'the set' : 'the text of';
    const what = texts.state === 'gone' ? 'is not there any more' : 'is no longer the one of this result';
    terminal.print(`${subject} ${idText(texts.id)} ${what}, so only the numbers are shown`);
    return;
  }
  const matched = stretchesOf(texts.a, texts.b);
  const stretches = matched ?? sharedEnds(texts.a, texts.b);
  if (matched === null)
    terminal.print(`the ${ofSets ? 'sets' : 'texts'} differ too much to be matched; only equal ends are`);
  if (stretches.every((stretch) => stretch.equal)) {
    terminal.print(`the same ${counted(texts.a.length, texts.of ?? 'word')}`);
    return;
  }
  for (const spans of sideBySideLines(stretches, terminal.columns, texts.of)) terminal.printSpans(spans);
}

/** Six decimals as in the result files; empty cells as a dash. */
function fraction(value: number | null): string {
  return value === null ? '-       ' : value.toFixed(6);
}

function rowAsJson(row: PairRow): Record<string, unknown> {
  return {
    a: idText(row.a),
    b: idText(row.b),
    jaccard: row.jaccard,
    agreement: row.agreement,
    containment_a_in_b: row.containmentAB,
    containment_b_in_a: row.containmentBA,
    kind: row.kind,
  };
}

function pairAsJson(view: PairView, estimated: boolean): Record<string, unknown> {
  const { candidate, texts } = view;
  return {
    a: idText(view.a),
    b: idText(view.b),
    estimated,
    pair: view.pair === null ? null : rowAsJson(view.pair),
    candidate: candidate === null ? null : { ...candidate, a: idText(candidate.a), b: idText(candidate.b) },
    cluster_of_a: placeAsJson(view.clusterOfA),
    cluster_of_b: placeAsJson(view.clusterOfB),
    texts: texts.state === 'found' ? { state: 'found' } : { state: texts.state, id: idText(texts.id) },
  };
}

function placeAsJson(place: ClusterPlace | null): Record<string, unknown> | null {
  if (place === null) return null;
  return { ...place, document: idText(place.document), representative: idText(place.representative) };
}
