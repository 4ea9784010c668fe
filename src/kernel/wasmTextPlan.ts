/**
 * Plans: what the kernel is told once to take documents in one call each, and where it leaves their results.
 *
 * Floor 1. assembly/textDocument.ts draws a plan. It must never know what becomes of the shingles.
 */
import type { ShingleParams } from '../sketch/params.js';
import type { ShingleStream } from '../sketch/shingles.js';
import { type KernelMemory, PADDING } from './wasmMemory.js';
import type { PlacedScheme } from './wasmSketch.js';
import { readTextKey, type TextFacts } from './wasmTextKey.js';
import { BLOCK, LONGEST_WINDOW, STATE, TEXT_KEY } from './wasmTextScratch.js';
import { CONTENT_KEY, parameterWords, REPAIRED, writeParameters } from './wasmTextState.js';

/** Places in a plan, in words. */
const TOKENS = 10;
const OCCURRENCES = 11;
const THINNING = 12;
const PLAN = 52;

const UNITS = ['words', 'chars', 'bytes'];

/** Whether documents of these shingles can be taken in one call. */
export function isPlanned({ unit, bag }: ShingleParams): boolean {
  return UNITS.includes(unit) && !bag;
}

/** Memory of the document in hand, one for all plans of a kernel: no document is left half done. */
export interface TextArenas {
  /** Room for BLOCK bytes. */
  readonly source: number;
  readonly folded: number;
  /** Zeros lie before it, which nobody writes over. */
  readonly hashes: number;
  /** The shingles of the document. */
  readonly column: number;
}

function arenasIn(memory: KernelMemory): TextArenas {
  const padded = (bytes: number): number => memory.allocate(bytes + PADDING);
  return {
    source: padded(BLOCK),
    folded: padded(3 * BLOCK),
    hashes: padded(8 * (LONGEST_WINDOW + BLOCK)) + 8 * LONGEST_WINDOW,
    column: padded(8 * BLOCK),
  };
}

/** Gives the arenas of a kernel, always the same, made when first asked for. */
export function textArenasOnce(memory: KernelMemory): () => TextArenas {
  let arenas: TextArenas | undefined;
  return () => {
    arenas ??= arenasIn(memory);
    return arenas;
  };
}

/** A plan and the state it names: where the results of a document are read. */
export interface Plan {
  readonly address: number;
  readonly state: number;
}

/**
 * A plan in kernel memory; without a scheme it is good for shingles only. `thinning`: address of the struct, 0: all
 * shingles are sketched.
 */
export function placePlan(
  memory: KernelMemory,
  { folded, hashes, column }: TextArenas,
  shingle: ShingleParams,
  scheme: PlacedScheme = [0, 0, 0, 0, 0],
  thinning = 0,
): Plan {
  const state = memory.allocate(STATE + PLAN);
  const address = state + STATE;
  writeParameters(memory, state, parameterWords(shingle), shingle.size, null);
  memory.words.set([state, UNITS.indexOf(shingle.unit), ...scheme, folded, hashes, column], address / 4);
  memory.words[address / 4 + THINNING] = thinning;
  return { address, state };
}

/** What a stream says of the document it ended. */
interface Results extends TextFacts {
  tokens: number;
  occurrences: number;
  repaired: boolean;
  readonly contentKey: Uint32Array;
}

/** Takes over what the kernel found of the last document. */
export function readResults(memory: KernelMemory, plan: Plan, into: Results): void {
  const { words } = memory;
  const results = plan.address / 4;
  const state = plan.state / 4;
  into.tokens = words[results + TOKENS]!;
  into.occurrences = words[results + OCCURRENCES]!;
  into.repaired = words[state + REPAIRED] !== 0;
  for (let i = 0; i < 4; i++) into.contentKey[i] = words[state + CONTENT_KEY + i]!;
  readTextKey(memory, plan.state + TEXT_KEY, into);
}

/** Takes over what another stream says of the document it ended. */
export function takeResults(
  { tokens, occurrences, repaired, contentKey, textKey, looksLikeCode }: ShingleStream,
  into: Results,
): void {
  into.tokens = tokens;
  into.occurrences = occurrences;
  into.repaired = repaired;
  into.contentKey.set(contentKey);
  into.textKey.set(textKey);
  into.looksLikeCode = looksLikeCode;
}
