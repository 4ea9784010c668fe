/** `mr-minhash inspect --document ID`: prints why a document is dropped or kept, and which documents resemble it. */

import { ERRORS } from '../../../src/errors.js';
import type { CandidateRow, DocumentView, OpenedResult, PairRow, SomeRows } from '../../../src/index.js';
import type { PairedDocuments } from '../../../src/result/readResult.js';
import { counted, grouped } from '../../../src/result/wording/amounts.js';
import { safeText, screenId } from '../../terminal.js';
import { thingOf } from './lists.js';
import { documentText, fraction, type Shown, showAnswer } from './shown.js';

/** `0.93`, with as many digits as the result has, up to six. */
function shortFraction(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toFixed(6)));
}

const KIND_WORDS: Readonly<Record<PairRow['kind'], string>> = {
  identical: 'the same byte for byte',
  'same-tokens': 'the same tokens: they differ in case, punctuation or layout alone',
  near: '',
};

/** The similarity of a dropped document and the kept one that replaces it; empty for a kept document. */
function likenessText({ drop, dropPair }: DocumentView, reader: OpenedResult): string {
  if (drop === null) return '';
  if (dropPair !== null && dropPair.kind !== 'near') return KIND_WORDS[dropPair.kind];
  if (drop.containment !== null) {
    const share = drop.containment === 1 ? 'all' : shortFraction(drop.containment);
    return `${share} of it is in ${documentText(reader, drop.kept, drop.keptPlace)} (threshold ${shortFraction(reader.threshold)})`;
  }
  const estimate = reader.estimated ? ', an estimate' : '';
  return `Jaccard similarity ${shortFraction(drop.jaccard)}${estimate} (threshold ${shortFraction(reader.threshold)})`;
}

/** The lines that explain why a document is kept in any case. */
function standingLines({ isReference }: DocumentView): string[] {
  return isReference ? ['of the reference (--against), whose documents are never dropped'] : [];
}

function fateLines(view: DocumentView, reader: OpenedResult): string[] {
  const { state, drop, skipped } = view;
  const notes = skipped.map(({ code, reason, kind }) => {
    const text = code === null ? reason : `${code}: ${ERRORS[code].text}`;
    return `${kind ?? 'skipped'}: ${text}`;
  });
  if (state === 'dropped') {
    return [
      `dropped: ${documentText(reader, drop!.kept, drop!.keptPlace)} is kept in its place`,
      `why: ${likenessText(view, reader)}`,
      ...notes,
    ];
  }
  if (state === 'skipped') return notes;
  if (state === 'unlisted') {
    return ['it is in no row of the result, and some inputs are missing: if it was read, it is kept'];
  }
  const count = view.droppedForIt.total;
  const dropped =
    count === 0 ? 'nothing is dropped for it' : `${counted(count, thingOf(reader))} can be dropped for it`;
  return [`kept: ${dropped}`, ...standingLines(view), ...notes];
}

function clusterLine({ cluster, place }: DocumentView, reader: OpenedResult): string {
  if (cluster === null) return 'in no cluster';
  const where = `cluster ${grouped(cluster.cluster)} (${counted(cluster.size, thingOf(reader))})`;
  if (cluster.representativePlace === place) return `${where}, its representative`;
  const basis = cluster.row.basis === 'exact' ? '' : ' (an estimate)';
  return `${where}, similarity ${shortFraction(cluster.row.similarity)}${basis} to its representative ${documentText(reader, cluster.representative, cluster.representativePlace)}`;
}

/** Longer passages are cut, in lines and in UTF-16 units. */
const MOST_LINES = 20;
const LONGEST_LINE = 200;

/** The text of a paragraph or line. */
function passageLines({ passage }: DocumentView): string[] {
  if (passage === undefined) return [];
  const lines = passage.split(/\r?\n/);
  const more = lines.length - MOST_LINES;
  const shown = lines
    .slice(0, MOST_LINES)
    .map((line) => `  ${safeText(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)}`);
  return ['', 'its text:', ...shown, ...(more > 0 ? [`  … ${counted(more, 'more line')}`] : [])];
}

/** A heading with rows below it; no lines if there are no rows. */
function listLines<Row>(
  { total, rows }: SomeRows<Row>,
  heading: string,
  rowText: (row: Row) => string,
): string[] {
  if (total === 0) return [];
  const range = rows.length < total ? `, the first ${grouped(rows.length)} of ${grouped(total)}` : '';
  return ['', `${heading}${range}:`, ...rows.map((row) => `  ${rowText(row)}`)];
}

/** The other document of a row. */
function otherOf(
  reader: OpenedResult,
  place: string | null,
  { a, b, aLocation, bLocation }: PairedDocuments,
): string {
  return aLocation === place ? documentText(reader, b, bLocation) : documentText(reader, a, aLocation);
}

/** What share of the document is in the other one, and the reverse. */
function containments(inOther: number | null, ofOther: number | null): string {
  return `${fraction(inOther).trimEnd()} of this is in it, ${fraction(ofOther).trimEnd()} of it in this:`;
}

function documentLines(view: DocumentView, reader: OpenedResult): string[] {
  const { id, place, standsFor, standsForPlace } = view;
  const compared = standsForPlace ?? place;
  const likeness = (row: PairRow): string => {
    if (!reader.byContainment) return fraction(row.jaccard);
    const [inOther, ofOther] = [row.containmentAInB, row.containmentBInA];
    return row.aLocation === compared ? containments(inOther, ofOther) : containments(ofOther, inOther);
  };
  const pairText = (row: PairRow): string => `${likeness(row)}  ${otherOf(reader, compared, row)}`;
  const candidateText = (row: CandidateRow): string =>
    `${row.jaccard === null ? `${fraction(row.agreement)} (an estimate)` : fraction(row.jaccard)}  ${otherOf(reader, compared, row)}`;
  const through =
    standsFor === null || standsForPlace === null
      ? ''
      : ` (compared as ${documentText(reader, standsFor, standsForPlace)}, the first document with the same tokens)`;
  return [
    screenId(id),
    ...(place === null || place === id ? [] : [`location: ${screenId(place)}`]),
    ...fateLines(view, reader),
    clusterLine(view, reader),
    ...passageLines(view),
    ...listLines(view.alike, 'the same tokens', (row) => `${row.kind}  ${otherOf(reader, place, row)}`),
    ...listLines(
      view.resembling,
      reader.byContainment
        ? `it is in, or contains${through}, the largest share first`
        : `it resembles${through}, the most similar first`,
      pairText,
    ),
    ...listLines(view.rejected, 'it was compared with, and does not reach the threshold', candidateText),
    ...listLines(
      view.droppedForIt,
      'dropped for it',
      (row) =>
        `${fraction(row.jaccard ?? row.containment)}  ${documentText(reader, row.document, row.place)}`,
    ),
  ];
}

/** Prints everything that the result has about one document. */
export async function showDocument(
  reader: OpenedResult,
  written: string,
  top: number,
  shown: Shown,
): Promise<void> {
  const view = await reader.document(reader.idOf(written), top);
  const { estimated, threshold } = reader;
  showAnswer({ ...view, estimated, threshold }, () => documentLines(view, reader), shown);
}
