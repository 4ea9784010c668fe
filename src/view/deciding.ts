/** Turns a request into decisions: lines for the documents that it names, or whose ids have some words. */
import { MinHashError } from '../errors.js';
import { hasOther } from '../options/decisionLines.js';
import { filesOf, idIn, type ResultIndex } from '../output/resultIndex.js';
import { DECISIONS, type DecisionRow } from '../sketch/params.js';
import { documentsWith } from './wordSearch.js';

/** Most decisions that one request makes, so that it is answered at once; the same request again makes further ones. */
const MOST_DECISIONS = 1000;

/** A key that equal decisions share. */
const keyOf = ({ kind, document, other }: DecisionRow): string => `${kind}\t${document}\t${other}`;

/** The decisions after a request. */
export interface ChangedDecisions {
  readonly wanted: readonly DecisionRow[];
  /** Whether the same request again would make further decisions. */
  readonly isCut: boolean;
}

/** The modification time of a file by its id (binary string); null: unknown. */
export type FileTimes = (id: string) => number | null;

/** The decisions after a request; null where the request is not valid. */
export function changed(
  index: ResultIndex,
  before: readonly DecisionRow[],
  asked: unknown,
  timesOf: () => FileTimes | null,
): ChangedDecisions | null {
  if (typeof asked !== 'object' || asked === null) return null;
  if ('bulk' in asked)
    return typeof asked.bulk === 'string' && asked.bulk !== ''
      ? withNew(before, bulk(index, asked.bulk))
      : null;
  if ('newest' in asked)
    return typeof asked.newest === 'string' && asked.newest !== ''
      ? withNew(before, newest(index, asked.newest, timesOf()))
      : null;
  if ('drop' in asked) {
    if (!Array.isArray(asked.drop) || asked.drop.length === 0) return null;
    const dropped: DecisionRow[] = [];
    for (const number of asked.drop) {
      const document = documentId(index, number);
      if (document === null) return null;
      dropped.push({ kind: 'drop', document, other: '' });
    }
    return withNew(before, dropped);
  }
  if (!('kind' in asked) || !('document' in asked)) return null;
  const kind = DECISIONS.find((one) => one === asked.kind);
  const document = documentId(index, asked.document);
  const other =
    kind !== undefined && !hasOther(kind) ? '' : documentId(index, 'other' in asked ? asked.other : null);
  if (kind === undefined || document === null || other === null || document === other) return null;
  return withNew(before, [{ kind, document, other }]);
}

/** The decisions `before`, and those of `added` that are not among them. */
function withNew(before: readonly DecisionRow[], added: Iterable<DecisionRow>): ChangedDecisions {
  const known = new Set(before.map(keyOf));
  const wanted = [...before];
  for (const one of added) {
    if (known.size === known.add(keyOf(one)).size) continue;
    if (wanted.length - before.length >= MOST_DECISIONS) return { wanted, isCut: true };
    wanted.push(one);
  }
  return { wanted, isCut: false };
}

function documentId(index: ResultIndex, number: unknown): string | null {
  const isOne = Number.isInteger(number) && (number as number) >= 0 && (number as number) < index.documents;
  return isOne ? idIn(index, number as number) : null;
}

/** Decides, for every kept document without the words that replaces a dropped one with them, to keep the dropped one instead. */
function* bulk(index: ResultIndex, words: string): Generator<DecisionRow> {
  const found = documentsWith(index, words);
  const replaced = new Set<number>();
  for (let d = found.indexOf(1); d >= 0 && d < index.clustered; d = found.indexOf(1, d + 1)) {
    const kept = index.keeper.at(d)!;
    if (kept >= index.documents || replaced.has(kept) || found[kept] === 1) continue;
    replaced.add(kept);
    yield { kind: 'keep', document: idIn(index, d), other: idIn(index, kept) };
  }
}

/**
 * Decides, for every kept document with the words, to keep instead the one in the newest file of the documents with the words that
 * it replaces, if that file is newer than its own.
 *
 * @throws MinHashError RESULT_MISSING where no time of their files is known
 */
function newest(index: ResultIndex, words: string, timeOf: FileTimes | null): DecisionRow[] {
  const found = documentsWith(index, words);
  const timeOfDocument = (d: number): number | null =>
    filesOf(index, d)
      .map((id) => timeOf?.(id) ?? null)
      .find((time) => time !== null) ?? null;
  /** By kept document: the newest document that it replaces, where that is newer than the kept one. */
  const best = new Map<number, { readonly document: number; readonly time: number }>();
  let [alike, known] = [0, 0];
  for (let d = 0; d < index.clustered; d++) {
    if (found[d] === 0) continue;
    const kept = index.keeper.at(d)!;
    if (kept >= index.clustered || found[kept] === 0) continue;
    alike++;
    const [own, time] = [timeOfDocument(kept), timeOfDocument(d)];
    if (own === null || time === null) continue;
    known++;
    if (time > (best.get(kept)?.time ?? own)) best.set(kept, { document: d, time });
  }
  if (alike > 0 && known === 0)
    throw new MinHashError({
      code: 'RESULT_MISSING',
      detail: 'the result does not say when the files of these documents were changed',
    });
  return [...best].map(([kept, { document }]) => ({
    kind: 'keep',
    document: idIn(index, document),
    other: idIn(index, kept),
  }));
}
