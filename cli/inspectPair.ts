/**
 * `mr-minhash inspect --pair`: everything a result says of two documents, and their texts side by side.
 *
 * Floor 5. Reads results only through ResultReader.
 */
import { MinHashError } from '../src/errors.js';
import { counted } from './amounts.js';
import type { CandidateRow, ClusterRow, PairRow, PairTexts, ResultReader } from './resultReader.js';
import { sharedEnds, sideBySideLines, stretchesOf } from './sideBySide.js';
import { idText, type Terminal } from './terminal.js';

/** All that is known about one pair. */
interface PairView {
  readonly a: string;
  readonly b: string;
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
  /** Where the two have no row: what is said of the documents that stand for them, if these are others. */
  readonly through: Twins | null;
  readonly clusterOfA: ClusterPlace | null;
  readonly clusterOfB: ClusterPlace | null;
  readonly texts: PairTexts;
}

/** The first of the documents with the tokens of a, and of b: the only ones that are compared. */
interface Twins {
  readonly a: string;
  readonly b: string;
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
}

/** Where one document stands in its cluster. */
interface ClusterPlace extends ClusterRow {
  readonly representative: string;
  /** Documents of the cluster. */
  readonly size: number;
}

/** Shows all that is known of two documents. */
export async function showPair(
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
  const through = listed ? null : await twinsOf(reader, a, b);
  return { a, b, pair, candidate, through, clusterOfA, clusterOfB, texts };
}

/** Null where both documents stand for themselves. */
async function twinsOf(reader: ResultReader, a: string, b: string): Promise<Twins | null> {
  const firsts = await reader.firstsOf([a, b]);
  if (firsts.size === 0) return null;
  const twins = { a: firsts.get(a) ?? a, b: firsts.get(b) ?? b };
  if (twins.a === twins.b) return { ...twins, pair: null, candidate: null };
  const { pair, candidate } = await reader.findPair(twins.a, twins.b);
  // Said of a and b, in their order.
  const turned = pair !== null && pair.a !== twins.a;
  const { containmentAB, containmentBA } = pair ?? {};
  const inOrder = turned ? { ...pair, containmentAB: containmentBA!, containmentBA: containmentAB! } : pair;
  return { ...twins, pair: inOrder, candidate };
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
    ...valueLines(view, estimated, ofSets ? 'elements' : 'tokens'),
    clusterLine('a', view.clusterOfA, ofSets),
    clusterLine('b', view.clusterOfB, ofSets),
  ];
}

function valueLines(
  { a, b, pair, candidate, through }: PairView,
  estimated: boolean,
  things: string,
): string[] {
  if (pair !== null) return pairValueLines(pair, estimated);
  if (candidate !== null) return candidateLines(candidate);
  if (through === null) return ['no row in pairs, and never a candidate'];
  if (through.a === through.b) return [`the same ${things}: both have those of ${idText(through.a)}`];
  const stands = (first: string): string =>
    `has the ${things} of ${idText(first)}, which is compared in its place`;
  const lines: string[] = [];
  if (through.a !== a) lines.push(`a ${stands(through.a)}`);
  if (through.b !== b) lines.push(`b ${stands(through.b)}`);
  if (through.pair !== null) return [...lines, ...pairValueLines(through.pair, estimated)];
  if (through.candidate !== null) return [...lines, ...candidateLines(through.candidate)];
  return [
    ...lines,
    `no row in pairs for ${idText(through.a)} and ${idText(through.b)}, and never a candidate`,
  ];
}

function pairValueLines(pair: PairRow, estimated: boolean): string[] {
  const isEstimate = estimated && pair.kind === 'near';
  return [
    `kind                ${pair.kind}`,
    `jaccard             ${fraction(pair.jaccard)}${isEstimate ? ' (an estimate)' : ''}`,
    `agreement           ${fraction(pair.agreement)}`,
    `containment a in b  ${fraction(pair.containmentAB)}`,
    `containment b in a  ${fraction(pair.containmentBA)}`,
  ];
}

function candidateLines(candidate: CandidateRow): string[] {
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
export function fraction(value: number | null): string {
  return value === null ? '-       ' : value.toFixed(6);
}

export function rowAsJson(row: PairRow): Record<string, unknown> {
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
    candidate: candidateAsJson(candidate),
    through: twinsAsJson(view.through),
    cluster_of_a: placeAsJson(view.clusterOfA),
    cluster_of_b: placeAsJson(view.clusterOfB),
    texts: texts.state === 'found' ? { state: 'found' } : { state: texts.state, id: idText(texts.id) },
  };
}

function candidateAsJson(candidate: CandidateRow | null): Record<string, unknown> | null {
  return candidate && { ...candidate, a: idText(candidate.a), b: idText(candidate.b) };
}

function twinsAsJson(twins: Twins | null): Record<string, unknown> | null {
  if (twins === null) return null;
  const { a, b, pair, candidate } = twins;
  const row = pair === null ? null : { ...rowAsJson(pair), a: idText(a), b: idText(b) };
  return { a: idText(a), b: idText(b), pair: row, candidate: candidateAsJson(candidate) };
}

function placeAsJson(place: ClusterPlace | null): Record<string, unknown> | null {
  if (place === null) return null;
  return { ...place, document: idText(place.document), representative: idText(place.representative) };
}
