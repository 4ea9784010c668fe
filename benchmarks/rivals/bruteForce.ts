/**
 * The pairs of some documents with all others, computed with sets of strings: without hashes, sketches or code of the
 * command.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Prepared } from './prepared.js';
import { pairOf } from './scoring.js';

const WORDS = 5;

function shinglesOf(text: string): Set<string> {
  const words = text.split(' ');
  const shingles = new Set<string>();
  for (let i = 0; i === 0 || i + WORDS <= words.length; i++)
    shingles.add(words.slice(i, i + WORDS).join(' '));
  return shingles;
}

async function* textsOf({ file }: Prepared): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    yield (JSON.parse(line) as { readonly text: string }).text;
  }
}

/** The shingle sets of the sample, inverted: for each shingle the numbers of the members that have it. */
interface Holders {
  readonly positions: readonly number[];
  readonly sizes: readonly number[];
  readonly of: ReadonlyMap<string, number[]>;
}

async function holdersOf(prepared: Prepared, sample: ReadonlySet<number>): Promise<Holders> {
  const holders = { positions: [] as number[], sizes: [] as number[], of: new Map<string, number[]>() };
  let position = 0;
  for await (const text of textsOf(prepared)) {
    if (sample.has(position)) {
      const shingles = shinglesOf(text);
      const member = holders.positions.push(position) - 1;
      holders.sizes.push(shingles.size);
      for (const shingle of shingles) {
        const known = holders.of.get(shingle);
        if (known === undefined) holders.of.set(shingle, [member]);
        else known.push(member);
      }
    }
    position++;
  }
  return holders;
}

/** Pairs of first documents, one of them in the sample, whose similarity reaches the threshold. */
export async function pairsOfSample(
  prepared: Prepared,
  sample: ReadonlySet<number>,
  threshold: number,
): Promise<Set<number>> {
  const { positions, sizes, of } = await holdersOf(prepared, sample);
  const pairs = new Set<number>();
  const common = new Uint32Array(positions.length);
  let position = 0;
  for await (const text of textsOf(prepared)) {
    if (prepared.firsts[position] === position) {
      common.fill(0);
      const shingles = shinglesOf(text);
      for (const shingle of shingles) {
        for (const member of of.get(shingle) ?? []) common[member]!++;
      }
      for (let member = 0; member < positions.length; member++) {
        if (common[member] === 0) continue;
        // The command writes six decimals, so the truth is rounded likewise.
        const resemblance = common[member]! / (sizes[member]! + shingles.size - common[member]!);
        const pair = pairOf(prepared, positions[member]!, position);
        if (pair >= 0 && Number(resemblance.toFixed(6)) >= threshold) pairs.add(pair);
      }
    }
    position++;
  }
  return pairs;
}
