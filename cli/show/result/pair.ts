/**
 * `mr-minhash inspect --pair`: prints everything that a result has about two documents, and their texts side by side.
 *
 * It reads results only through openResult.
 */

import { elementsOfPair } from '../../../src/analysis/result/pairTexts.js';
import { MinHashError } from '../../../src/errors.js';
import type { CandidateRow, ClusterRow, OpenedResult, PairRow, PairTexts } from '../../../src/index.js';
import { counted } from '../../../src/result/wording/amounts.js';
import { type Style, safeText, screenId, type Terminal } from '../../terminal.js';
import { wrappedWords } from '../width.js';
import { thingOf } from './lists.js';
import { documentText, fraction, type Shown, showAnswer } from './shown.js';
import { showWritten } from './writtenTexts.js';

type Named = Awaited<ReturnType<OpenedResult['named']>>;

/** Everything that is known about one pair. */
interface PairView {
  readonly a: Named;
  readonly b: Named;
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
  /** If the two have no row: the documents compared in their place, with their row, if those are other documents. */
  readonly through: Twins | null;
  readonly clusterOfA: ClusterPlace | null;
  readonly clusterOfB: ClusterPlace | null;
  readonly texts: PairTexts;
}

/** The first document with the tokens of a, and the first with those of b: only these two are compared. */
type Twins = Pick<PairView, 'a' | 'b' | 'pair' | 'candidate'>;

/** A document's row in its cluster, with facts of the cluster. */
interface ClusterPlace extends ClusterRow {
  readonly representative: string;
  readonly representativePlace: string;
  /** Number of documents in the cluster. */
  readonly size: number;
}

/** Prints everything that is known about two documents. */
export async function showPair(
  reader: OpenedResult,
  written: readonly [string, string],
  shown: Shown,
): Promise<void> {
  const view = await pairView(reader, reader.idOf(written[0]), reader.idOf(written[1]));
  const { texts, through, ...rows } = view;
  const state = texts.state === 'gone' ? texts : { state: texts.state };
  const named = ({ a, b }: Twins) => ({ a: a.id, b: b.id, aLocation: a.place, bLocation: b.place });
  showAnswer(
    {
      ...named(view),
      estimated: reader.estimated,
      ...{ pair: rows.pair, candidate: rows.candidate },
      through: through && { ...named(through), pair: through.pair, candidate: through.candidate },
      ...{ clusterOfA: rows.clusterOfA, clusterOfB: rows.clusterOfB, texts: state },
    },
    () => pairLines(view, reader),
    shown,
  );
  if (!shown.json) showTexts(texts, reader, shown.terminal);
}

/** Reads everything about a pair, with a and b in the order of the command line; rows of the result have the order of the run. */
async function pairView(reader: OpenedResult, idOfA: string, idOfB: string): Promise<PairView> {
  const [a, b] = [await reader.named(idOfA), await reader.named(idOfB)];
  if (a.place === b.place)
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `--pair: expected two different documents, got ${screenId(a.place)} twice`,
    });
  const texts = await reader.texts(a.place, b.place);
  const { pair, candidate } = inOrder(a, b, await reader.findPair(a.place, b.place));
  const clusterOfA = placeOf(a, await reader.findCluster(a.place));
  const clusterOfB = placeOf(b, await reader.findCluster(b.place));
  const listed = pair !== null || candidate !== null;
  if (!listed && texts.state === 'gone' && (texts.place === a.place ? clusterOfA : clusterOfB) === null) {
    // The document is in no result file and has no text: nothing is known about it.
    throw new MinHashError({ code: 'DOCUMENT_UNKNOWN', detail: screenId(texts.place) });
  }
  const through = listed ? null : await twinsOf(reader, a, b);
  return { a, b, pair, candidate, through, clusterOfA, clusterOfB, texts };
}

/** The documents compared in place of a and b; null if these were compared themselves. */
async function twinsOf(reader: OpenedResult, a: Named, b: Named): Promise<Twins | null> {
  const firsts = await reader.firstsOf([a.place, b.place]);
  if (firsts.size === 0) return null;
  const twins = { a: firsts.get(a.place) ?? a, b: firsts.get(b.place) ?? b };
  if (twins.a.place === twins.b.place) return { ...twins, pair: null, candidate: null };
  const rows = await reader.findPair(twins.a.place, twins.b.place);
  return { ...twins, ...inOrder(twins.a, twins.b, rows) };
}

/** The rows of two documents, with their cells in the order of a and b. */
function inOrder(
  a: Named,
  b: Named,
  { pair, candidate }: Pick<Twins, 'pair' | 'candidate'>,
): Pick<Twins, 'pair' | 'candidate'> {
  const isTurned = pair !== null && pair.aLocation !== a.place;
  const { containmentAInB, containmentBInA } = pair ?? {};
  const names = { a: a.id, b: b.id, aLocation: a.place, bLocation: b.place };
  return {
    pair: isTurned
      ? { ...pair, ...names, containmentAInB: containmentBInA!, containmentBInA: containmentAInB! }
      : pair,
    candidate: candidate && { ...candidate, ...names },
  };
}

function placeOf({ id, place }: Named, rows: readonly ClusterRow[]): ClusterPlace | null {
  const row = rows.find((entry) => entry.place === place);
  if (row === undefined) return null;
  const first = rows.find((entry) => entry.role === 'representative');
  return {
    ...row,
    representative: first?.document ?? id,
    representativePlace: first?.place ?? place,
    size: rows.length,
  };
}

const textOf = (reader: OpenedResult, { id, place }: Named): string => documentText(reader, id, place);

function pairLines(view: PairView, reader: OpenedResult): string[] {
  return [
    `a  ${textOf(reader, view.a)}`,
    `b  ${textOf(reader, view.b)}`,
    ...valueLines(view, reader),
    clusterLine('a', view.clusterOfA, reader),
    clusterLine('b', view.clusterOfB, reader),
    '',
  ];
}

function valueLines({ a, b, pair, candidate, through }: PairView, reader: OpenedResult): string[] {
  const { estimated, ofSets } = reader;
  const things = ofSets ? 'elements' : 'tokens';
  if (pair !== null) return pairValueLines(pair, estimated);
  if (candidate !== null) return candidateLines(candidate);
  if (through === null) return ['no row in pairs, and none in candidates'];
  const [firstA, firstB] = [textOf(reader, through.a), textOf(reader, through.b)];
  if (through.a.place === through.b.place) return [`the same ${things}: both have those of ${firstA}`];
  const stands = (first: string): string => `has the ${things} of ${first}, which is compared in its place`;
  const lines: string[] = [];
  if (through.a.place !== a.place) lines.push(`a ${stands(firstA)}`);
  if (through.b.place !== b.place) lines.push(`b ${stands(firstB)}`);
  if (through.pair !== null) return [...lines, ...pairValueLines(through.pair, estimated)];
  if (through.candidate !== null) return [...lines, ...candidateLines(through.candidate)];
  return [...lines, `no row in pairs for ${firstA} and ${firstB}, and none in candidates`];
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

function clusterLine(name: string, place: ClusterPlace | null, reader: OpenedResult): string {
  if (place === null) return `${name} is in no cluster`;
  const where = `${name} is in cluster ${place.cluster} (${counted(place.size, thingOf(reader))})`;
  if (place.role === 'representative') return `${where}, its representative`;
  const basis = place.basis === 'exact' ? '' : ' (an estimate)';
  const similarity = `${fraction(place.similarity)}${basis}`;
  return `${where}, similarity ${similarity} to its representative ${documentText(reader, place.representative, place.representativePlace)}`;
}

function showTexts(texts: PairTexts, { ofSets, byContainment }: OpenedResult, terminal: Terminal): void {
  if (texts.state !== 'found') {
    const [one, two] = ofSets ? ['the set', 'sets'] : ['the text of', 'texts'];
    if (texts.state === 'untrusted') {
      terminal.print(
        `the ${two} are not read, because others can write to the result, which has their locations (${texts.why}): use --corpus PATH`,
      );
      return;
    }
    const what =
      texts.state === 'gone'
        ? `${one} ${screenId(texts.place)} is missing`
        : `at least one of the two ${two} has changed since the run`;
    terminal.print(`${what}, so only the numbers are shown`);
  } else if (texts.runs !== undefined) showWritten(texts.runs, byContainment, terminal);
  else showElements(texts.a, texts.b, terminal);
}

/** The most elements of a list that are printed. */
const MOST_ELEMENTS = 1000;

const ELEMENT_STYLES = { 'in both': 'plain', 'in a alone': 'removed', 'in b alone': 'added' } as const;

/** Lists the elements that two sets share, and those that only one has; of equal sets only their number. */
function showElements(a: readonly string[], b: readonly string[], terminal: Terminal): void {
  const lists = elementsOfPair(a, b);
  if (lists['in a alone'].length + lists['in b alone'].length === 0) {
    terminal.print(`the same ${counted(a.length, 'element')}`);
    return;
  }
  for (const [title, style] of Object.entries(ELEMENT_STYLES) as [keyof typeof lists, Style][]) {
    const elements = lists[title];
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
