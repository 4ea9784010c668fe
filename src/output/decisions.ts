/**
 * Reads and writes decisions.tsv (src/options/decisionLines.ts) of a result, and applies it to the result's drop list.
 *
 * reducers/dropList.ts has the rules of the drop list. Decisions change its input: they leave out pairs, and put documents
 * first or last in the order of survivors.
 */
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DropList, dropList } from '../../reducers/dropList.js';
import { lowerBound } from '../arrays/search.js';
import { atOnce } from '../arrays/stepwise.js';
import { type Fault, MinHashError } from '../errors.js';
import {
  CONTRADICTION,
  DECISION_HEADER,
  decidedFates,
  decisionsOfFile,
  decisionText,
  hasOther,
} from '../options/decisionLines.js';
import { LARGEST_LIST, type OptionFile, readOptionFile } from '../options/optionFile.js';
import { bytesOf, textOf } from '../readers/list/pathIds.js';
import type { DecisionRow } from '../sketch/params.js';
import { writeFileAtomic } from '../store/files.js';
import { type PlainFile, readPlainFile } from '../store/plainFile.js';
import type { NumberColumn } from './columnFile.js';
import { besideResult } from './fileNames.js';
import { FolderLock } from './folder.js';
import type { Manifest } from './manifest.js';
import {
  classesOf,
  clusterOf,
  ELSEWHERE,
  type IndexPart,
  NONE,
  nearPairsOf,
  pairOf,
  partOf,
  type ResultIndex,
  wholeOf,
} from './resultIndex.js';
import { ByteWriter } from './tables/escaping.js';

/** `result-decisions.tsv` beside `result`. */
export function decisionsFile(folder: string): string {
  return besideResult(folder, 'decisions.tsv');
}

function invalid(detail: string): Fault {
  return { code: 'OPTION_INVALID', detail };
}

/**
 * The decisions of a file in their order. `isTyped`: the user named the file, which may be a pipe and must exist. Else it lies
 * beside a result, anybody may have made it, and it must be a regular file or missing (no decisions).
 *
 * @throws MinHashError OPTION_INVALID, naming all bad lines
 */
export function readDecisions(file: string, isTyped = false): readonly DecisionRow[] {
  const found = isTyped ? readOptionFile(file, LARGEST_LIST) : besideIn(readPlainFile(file, LARGEST_LIST));
  const { decisions, problems } = decisionsOfFile(file, found);
  if (problems.length > 0) throw new MinHashError(problems.map(invalid));
  return decisions;
}

function besideIn(file: PlainFile): OptionFile {
  if (file.bytes !== null) return { text: Buffer.from(file.bytes).toString('utf8') };
  return file.why === null ? { text: '' } : { problem: `expected a regular file: ${file.why}` };
}

/** The bytes of an id (binary string) as a cell, escaped. */
export function escapedCell(id: string): Uint8Array {
  const out = new ByteWriter(64);
  const bytes = bytesOf(id);
  out.appendEscaped(bytes, 0, bytes.length);
  return out.written();
}

/** Replaces the file as a whole. @throws MinHashError WRITE_FAILED, DISK_FULL; then the file is as it was */
export function writeDecisions(file: string, decisions: readonly DecisionRow[]): void {
  const out = new ByteWriter();
  out.append(Buffer.from(`${DECISION_HEADER}\n`));
  for (const { kind, document, other } of decisions) {
    out.append(Buffer.from(kind));
    for (const id of other === '' ? [document] : [document, other]) {
      out.append(Buffer.from('\t'));
      out.append(escapedCell(id));
    }
    out.append(Buffer.from('\n'));
  }
  writeFileAtomic(dirname(file), basename(file), [out.written()]);
}

/** How long a process waits for another that writes decisions in the same folder, and between two attempts. Milliseconds. */
const LONGEST_WAIT = 5000;
const PAUSE = 10;

/**
 * Runs a step that reads the file of decisions and replaces it, and locks the folder of the file meanwhile, so that two
 * servers that show one result lose no decision of each other.
 *
 * @throws MinHashError OUTPUT_LOCKED where another process holds the lock for five seconds, WRITE_FAILED, DISK_FULL
 */
export async function holdingDecisions<T>(file: string, step: () => T): Promise<T> {
  const end = performance.now() + LONGEST_WAIT;
  for (;;) {
    const lock = freeLock(file, performance.now() >= end);
    if (lock === null) await pause(PAUSE);
    else
      try {
        return step();
      } finally {
        lock.release();
      }
  }
}

/** The lock of a file; null: another process holds it. @throws MinHashError OUTPUT_LOCKED in the last attempt instead of null */
function freeLock(file: string, isLast: boolean): FolderLock | null {
  try {
    return new FolderLock(file, false);
  } catch (error) {
    const isHeld = error instanceof MinHashError && error.code === 'OUTPUT_LOCKED';
    if (!isHeld || isLast) throw error;
    return null;
  }
}

/** The drop list of a result after decisions. */
export interface DecidedDrops {
  /** By document: the document that replaces it (see ResultIndex); NONE: it is kept; itself: it is dropped, and no document replaces it. */
  readonly keeper: Pick<NumberColumn, 'at'>;
  /** By document: its similarity to the one that replaces it; NaN where that is unchanged, and the result has the similarity. */
  readonly similarity: Pick<NumberColumn, 'at'>;
  /** The documents of clusters that decisions name, ascending: the fate of all others is that of the result. */
  readonly touched: Uint32Array;
  /** Documents that the result keeps and the decisions drop; documents that the result drops and the decisions keep. */
  readonly dropped: number;
  readonly kept: number;
}

/** Why a result cannot have decisions; null: it can. */
export function whyUndecided({ parameters }: Pick<Manifest, 'parameters'>): string | null {
  const { measure, groups } = parameters;
  if (measure === 'containment')
    return 'it measured containment, by which one of two documents alone replaces the other';
  if (groups !== null) return 'it has a reference (--against), whose documents are never dropped';
  return null;
}

/**
 * Tiers of documents, in the order of survivors: decided to be kept; kept by the result; dropped by it; decided to be dropped;
 * decided to be dropped even if no near-duplicate is kept.
 */
const FIRST = 0;
const KEPT = 1;
const DROPPED = 2;
const LAST = 3;
const LOST = 4;

/** The documents that decisions name, in a part of the result. */
interface Named {
  readonly part: IndexPart;
  /** Document d of the part is `numbers[d]` of the result. */
  readonly numbers: Uint32Array;
  /** By id that occurs in the result: its document in the part, and its cluster. */
  readonly places: ReadonlyMap<string, { readonly document: number; readonly cluster: number }>;
}

/** Decisions, by the numbers of their documents in the part. */
class Decided {
  readonly tier: Uint8Array;
  /** Rows of pairs for which neither document is dropped. */
  readonly apart = new Set<number>();
  /** By document that must be dropped, its decision. */
  readonly mustGo = new Map<number, DecisionRow>();
  readonly #faults: Fault[];
  readonly #named: Named;

  constructor(named: Named, decisions: readonly DecisionRow[], faults: Fault[]) {
    this.#named = named;
    this.#faults = faults;
    this.tier = Uint8Array.from(named.part.keeper, (keeper) => (keeper === NONE ? KEPT : DROPPED));
    const { fates, contradictions } = decidedFates(decisions);
    for (const decision of contradictions) this.#say(decision, CONTRADICTION);
    for (const [id, { stays, decision }] of fates) {
      const place = named.places.get(id);
      if (place === undefined) continue;
      this.tier[place.document] = stays ? FIRST : LAST;
      if (!stays) this.mustGo.set(place.document, decision);
    }
    for (const decision of decisions) this.#take(decision);
  }

  #take(decision: DecisionRow): void {
    const { kind, document, other } = decision;
    const { part, places } = this.#named;
    const [a, b] = [places.get(document), hasOther(kind) ? places.get(other) : undefined];
    if (a === undefined || (hasOther(kind) && b === undefined)) return;
    if (kind === 'both') {
      const pair = pairOf(part, a.document, b!.document);
      if (pair < 0) this.#say(decision, 'they are no accepted pair of the result');
      else this.apart.add(pair);
    } else if (kind === 'lose') {
      this.tier[a.document] = LOST;
      this.mustGo.delete(a.document);
    } else if (kind === 'keep' && a.cluster !== b!.cluster)
      this.#say(decision, 'they are in no cluster together');
  }

  #say(decision: DecisionRow, why: string): void {
    this.#faults.push(invalid(`${decisionText(decision, textOf)}: ${why}`));
  }
}

/** The order of survivors as ranks: by tier, then by number. */
function ranksOf(tier: Uint8Array): Uint32Array {
  const next = [FIRST, KEPT, DROPPED, LAST, LOST].map((own) =>
    tier.reduce((sum, one) => sum + (one < own ? 1 : 0), 0),
  );
  return Uint32Array.from(tier, (own) => next[own]!++);
}

/**
 * The drop list of a result after decisions. The documents that the result keeps come before those that it drops, so that
 * without a decision nothing changes, whatever the order of survivors was. A dropped document whose replacement is no longer
 * kept gets another one, or is kept.
 *
 * @throws MinHashError OPTION_INVALID where the result cannot have decisions, where decisions contradict each other, or would
 *   drop a document without a kept near-duplicate; DOCUMENT_UNKNOWN
 */
export function decidedDrops(index: ResultIndex, decisions: readonly DecisionRow[]): DecidedDrops {
  const why = whyUndecided(index.manifest);
  if (why !== null && decisions.length > 0)
    throw new MinHashError(invalid(`decisions about this result are not taken: ${why}`));
  const faults: Fault[] = [];
  const named = namedIn(index, decisions, faults);
  const { part, numbers } = named;
  const decided = new Decided(named, decisions, faults);
  if (faults.length > 0) throw new MinHashError(faults);
  const list = listOf(part, decided);
  let [dropped, kept] = [0, 0];
  const keeper = list.keeper.map((after, d) => {
    const before = part.keeper[d]!;
    if (before === NONE && after !== NONE) dropped++;
    if (before !== NONE && after === NONE) kept++;
    return after >= ELSEWHERE ? after : numbers[after]!;
  });
  const at = (document: number): number => {
    const place = lowerBound(numbers, 0, numbers.length, document);
    return numbers[place] === document ? place : -1;
  };
  return {
    keeper: { at: (document) => keeper[at(document)] ?? index.keeper.at(document) },
    similarity: { at: (document) => list.similarity[at(document)] ?? Number.NaN },
    touched: numbers,
    ...{ dropped, kept },
  };
}

/** The clusters that decisions name; the whole result where pairs lead out of clusters. Unknown ids are added to `faults`. */
function namedIn(index: ResultIndex, decisions: readonly DecisionRow[], faults: Fault[]): Named {
  const found = new Map<string, { readonly number: number; readonly cluster: number }>();
  for (const { document, other } of decisions) {
    for (const id of other === '' ? [document] : [document, other]) {
      if (found.has(id)) continue;
      const number = index.find(id);
      if (number < 0) faults.push({ code: 'DOCUMENT_UNKNOWN', detail: `${textOf(id)} (in the decisions)` });
      else found.set(id, { number, cluster: clusterOf(index, number) });
    }
  }
  const clusters = new Set([...found.values()].map(({ cluster }) => cluster));
  const { part, numbers } =
    index.documents === index.clustered
      ? partOf(
          index,
          [...clusters].sort((x, y) => x - y),
        )
      : wholeOf(index);
  const places = new Map(
    [...found].map(([id, { number, cluster }]) => [
      id,
      { document: lowerBound(numbers, 0, numbers.length, number), cluster },
    ]),
  );
  return { part, numbers, places };
}

/** The drop list of a part after decisions, by document. @throws TextsLost */
function listOf(
  index: IndexPart,
  decided: Decided,
): { readonly keeper: Uint32Array; readonly similarity: Float64Array } {
  const { tier, apart } = decided;
  const { pairs, keeper: before } = index;
  const taken = { ...index, pairs: { ...pairs, kind: pairs.kind.slice() } };
  // A pair of copies that a decision tells apart counts as a near pair, and `nearPairsOf` leaves it out.
  for (const pair of apart) taken.pairs.kind[pair] = 0;
  const near = nearPairsOf(taken, (pair) => !apart.has(pair));
  const isProtected = protectedFlags(index, tier);
  const list: DropList = atOnce(
    dropList(classesOf(taken), near, { rank: ranksOf(tier), isProtected, group: null }),
  );
  const keeper = new Uint32Array(before.length).fill(NONE);
  const similarity = new Float64Array(before.length).fill(Number.NaN);
  for (let row = 0; row < list.document.length; row++) {
    const document = list.document[row]!;
    const own = before[document]!;
    const stays =
      own !== NONE && list.kept[own] === 1 && tier[own] !== LOST && !apart.has(pairOf(index, document, own));
    keeper[document] = stays ? own : list.keptDocument[row]!;
    if (!stays) similarity[document] = list.jaccard[row]!;
  }
  for (let d = 0; d < tier.length; d++) {
    if (tier[d] !== LOST || (keeper[d] !== NONE && tier[keeper[d]!] !== LOST)) continue;
    keeper[d] = d;
    similarity[d] = Number.NaN;
  }
  refuseLosses(decided, keeper);
  return { keeper, similarity };
}

/**
 * By document, 1: it is protected. Decisions protect documents; the result protected both documents of a pair that it keeps,
 * because it keeps both only then.
 */
function protectedFlags({ pairs, keeper }: IndexPart, tier: Uint8Array): Uint8Array {
  const flags = Uint8Array.from(tier, (own) => (own === FIRST ? 1 : 0));
  for (let i = 0; i < pairs.count; i++) {
    const [a, b] = [pairs.a[i]!, pairs.b[i]!];
    if (keeper[a] !== NONE || keeper[b] !== NONE) continue;
    for (const one of [a, b]) if (tier[one] === KEPT) flags[one] = 1;
  }
  return flags;
}

/** The error of decisions that would drop documents without a kept near-duplicate. */
export class TextsLost extends MinHashError {
  /** Ids (binary strings). */
  readonly documents: readonly string[];

  constructor(faults: readonly Fault[], documents: readonly string[]) {
    super(faults);
    this.documents = documents;
  }
}

/** @throws TextsLost OPTION_INVALID for each decision that would drop a document without a kept near-duplicate */
function refuseLosses({ mustGo }: Decided, keeper: Uint32Array): void {
  // A document that must be dropped is no replacement, though the rule of the drop list keeps it.
  const isLost = (document: number): boolean => keeper[document] === NONE || mustGo.has(keeper[document]!);
  const lost = [...mustGo].filter(([document]) => isLost(document));
  if (lost.length === 0) return;
  const ids = lost.map(([, { kind, document, other }]) => (kind === 'keep' ? other : document));
  const faults = lost.map(([, decision], i) => ({
    ...invalid(
      `${decisionText(decision, textOf)}: no kept document resembles ${textOf(ids[i]!)}, so its text would be lost`,
    ),
    remedy: `keep one of those that resemble it, take this decision back, or say lose ${textOf(ids[i]!)}`,
  }));
  throw new TextsLost(faults, ids);
}
