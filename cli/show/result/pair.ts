/**
 * `mr-minhash inspect --pair`: shows everything that a result has about two documents, and their texts side by side.
 *
 * Reads results only through openResult.
 */

import { elementsOfPair } from '../../../src/analysis/result/pairTexts.js';
import { MinHashError } from '../../../src/errors.js';
import type { CandidateRow, ClusterRow, OpenedResult, PairRow, PairTexts } from '../../../src/index.js';
import { counted } from '../../../src/result/wording/amounts.js';
import { type Style, safeText, screenId, type Terminal } from '../../terminal.js';
import { wrappedWords } from '../width.js';
import { thingOf } from './lists.js';
import { fraction, type Shown, showAnswer } from './shown.js';
import { showWritten } from './writtenTexts.js';

/** Everything that is known about one pair. */
interface PairView {
  readonly a: string;
  readonly b: string;
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
  /** Where the two have no row: the documents that represent them, with their row, if these are others. */
  readonly through: Twins | null;
  readonly clusterOfA: ClusterPlace | null;
  readonly clusterOfB: ClusterPlace | null;
  readonly texts: PairTexts;
}

/** The first of the documents with the tokens of a, and the first with those of b: only these two are compared. */
interface Twins {
  readonly a: string;
  readonly b: string;
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
}

/** A document's row in its cluster, with facts of the cluster. */
interface ClusterPlace extends ClusterRow {
  readonly representative: string;
  /** Documents of the cluster. */
  readonly size: number;
}

/** Shows everything that is known about two documents. */
export async function showPair(
  reader: OpenedResult,
  written: readonly [string, string],
  shown: Shown,
): Promise<void> {
  const view = await pairView(reader, reader.idOf(written[0]), reader.idOf(written[1]));
  const { a, b, texts, ...rows } = view;
  const state = texts.state === 'gone' ? texts : { state: texts.state };
  showAnswer(
    { a, b, estimated: reader.estimated, ...rows, texts: state },
    () => pairLines(view, reader),
    shown,
  );
  if (!shown.json) showTexts(texts, reader, shown.terminal);
}

/** Reads everything about a pair, with a and b in the order of the question; a row of the result has them in the order of the run. */
async function pairView(reader: OpenedResult, a: string, b: string): Promise<PairView> {
  // The texts are read first, so that the inputs are read once.
  const texts = await reader.texts(a, b);
  const { pair, candidate } = inOrder(a, b, await reader.findPair(a, b));
  const clusterOfA = placeOf(a, await reader.findCluster(a));
  const clusterOfB = placeOf(b, await reader.findCluster(b));
  const listed = pair !== null || candidate !== null;
  if (!listed && texts.state === 'gone' && (texts.id === a ? clusterOfA : clusterOfB) === null) {
    // The document is in no result file and has no text: nothing is known about it.
    throw new MinHashError({ code: 'DOCUMENT_UNKNOWN', detail: screenId(texts.id) });
  }
  const through = listed ? null : await twinsOf(reader, a, b);
  return { a, b, pair, candidate, through, clusterOfA, clusterOfB, texts };
}

/** The documents that represent a and b; null where both represent themselves. */
async function twinsOf(reader: OpenedResult, a: string, b: string): Promise<Twins | null> {
  const firsts = await reader.firstsOf([a, b]);
  if (firsts.size === 0) return null;
  const twins = { a: firsts.get(a) ?? a, b: firsts.get(b) ?? b };
  if (twins.a === twins.b) return { ...twins, pair: null, candidate: null };
  return { ...twins, ...inOrder(twins.a, twins.b, await reader.findPair(twins.a, twins.b)) };
}

/** The rows of two documents, with their cells in the order of a and b. */
function inOrder(
  a: string,
  b: string,
  { pair, candidate }: Pick<Twins, 'pair' | 'candidate'>,
): Pick<Twins, 'pair' | 'candidate'> {
  const isTurned = pair !== null && pair.a !== a;
  const { containmentAInB, containmentBInA } = pair ?? {};
  return {
    pair: isTurned
      ? { ...pair, a, b, containmentAInB: containmentBInA!, containmentBInA: containmentAInB! }
      : pair,
    candidate: candidate && { ...candidate, a, b },
  };
}

function placeOf(id: string, rows: readonly ClusterRow[]): ClusterPlace | null {
  const row = rows.find((entry) => entry.document === id);
  if (row === undefined) return null;
  const representative = rows.find((entry) => entry.role === 'representative')?.document ?? id;
  return { ...row, representative, size: rows.length };
}

function pairLines(view: PairView, reader: OpenedResult): string[] {
  return [
    `a  ${screenId(view.a)}`,
    `b  ${screenId(view.b)}`,
    ...valueLines(view, reader.estimated, reader.ofSets ? 'elements' : 'tokens'),
    clusterLine('a', view.clusterOfA, thingOf(reader)),
    clusterLine('b', view.clusterOfB, thingOf(reader)),
    '',
  ];
}

function valueLines(
  { a, b, pair, candidate, through }: PairView,
  estimated: boolean,
  things: string,
): string[] {
  if (pair !== null) return pairValueLines(pair, estimated);
  if (candidate !== null) return candidateLines(candidate);
  if (through === null) return ['no row in pairs, and none in candidates'];
  if (through.a === through.b) return [`the same ${things}: both have those of ${screenId(through.a)}`];
  const stands = (first: string): string =>
    `has the ${things} of ${screenId(first)}, which is compared in its place`;
  const lines: string[] = [];
  if (through.a !== a) lines.push(`a ${stands(through.a)}`);
  if (through.b !== b) lines.push(`b ${stands(through.b)}`);
  if (through.pair !== null) return [...lines, ...pairValueLines(through.pair, estimated)];
  if (through.candidate !== null) return [...lines, ...candidateLines(through.candidate)];
  return [
    ...lines,
    `no row in pairs for ${screenId(through.a)} and ${screenId(through.b)}, and none in candidates`,
  ];
}

function pairValueLines(pair: PairRow, estimated: boolean): string[] {
  const isEstimate = estimated && pair.kind === 'near';
  return [
    `kind                ${pair.kind}`,
    `jaccard             ${fraction(pair.jaccard)}${isEstimate ? ' (an estimate)' : ''}`,
    `agreement           ${fraction(pair.agreement)}`,
    `containment a in b  ${fraction(pair.containmentAInB)}`,
    `containment b in a  ${fraction(pair.containmentBInA)}`,
  ];
}

function candidateLines(candidate: CandidateRow): string[] {
  return [
    'a candidate that was not accepted',
    `jaccard             ${fraction(candidate.jaccard)}`,
    `agreement           ${fraction(candidate.agreement)}`,
  ];
}

function clusterLine(name: string, place: ClusterPlace | null, thing: string): string {
  if (place === null) return `${name} is in no cluster`;
  const where = `${name} is in cluster ${place.cluster} (${counted(place.size, thing)})`;
  if (place.role === 'representative') return `${where}, its representative`;
  const basis = place.basis === 'exact' ? '' : ' (an estimate)';
  const similarity = `${fraction(place.similarity)}${basis}`;
  return `${where}, similarity ${similarity} to its representative ${screenId(place.representative)}`;
}

function showTexts(texts: PairTexts, { ofSets, byContainment }: OpenedResult, terminal: Terminal): void {
  if (texts.state !== 'found') {
    const [one, two] = ofSets ? ['the set', 'sets'] : ['the text of', 'texts'];
    if (texts.state === 'untrusted') {
      terminal.print(
        `the ${two} are not read, since others may have written the result that says where they are (${texts.why}): --corpus PATH reads them there`,
      );
      return;
    }
    const what =
      texts.state === 'gone'
        ? `${one} ${screenId(texts.id)} is not there any more`
        : `at least one of the two ${two} is no longer the one of this result`;
    terminal.print(`${what}, so only the numbers are shown`);
  } else if (texts.runs !== undefined) showWritten(texts.runs, byContainment, terminal);
  else showElements(texts.a, texts.b, terminal);
}

/** The most elements of a list that are shown: nobody reads more in a terminal. */
const MOST_ELEMENTS = 1000;

const ELEMENT_STYLES = { 'in both': 'plain', 'in a alone': 'removed', 'in b alone': 'added' } as const;

/** Lists the elements that two sets share, and those that one has alone; of equal sets only their number. */
function showElements(a: readonly string[], b: readonly string[], terminal: Terminal): void {
  const found = elementsOfPair(a, b);
  if (found['in a alone'].length + found['in b alone'].length === 0) {
    terminal.print(`the same ${counted(a.length, 'element')}`);
    return;
  }
  for (const [title, style] of Object.entries(ELEMENT_STYLES) as [keyof typeof found, Style][]) {
    const elements = found[title];
    terminal.print(`${counted(elements.length, 'element')} ${title}${elements.length === 0 ? '' : ':'}`);
    const words = elements.slice(0, MOST_ELEMENTS).map((element, i, { length }) => {
      const text = safeText(element);
      return i + 1 < length ? `${text},` : text;
    });
    for (const line of wrappedWords(words, terminal.columns - 2))
      terminal.printSpans([{ text: `  ${line}`, style }]);
    const more = elements.length - words.length;
    if (more > 0) terminal.print(`  … and ${counted(more, 'more element')}`);
  }
}
