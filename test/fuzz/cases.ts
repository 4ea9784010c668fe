/** The cases of fuzzing one after the other: a case is known by the seed and its number alone. */
import { blockTargets } from './blocks.js';
import type { FuzzTarget, FuzzWish } from './main.js';
import { Mutator } from './mutations.js';
import { readerTargets } from './readers.js';
import { setTargets } from './setReaders.js';

/** Every reader, and the decoders of blocks. */
export function inputTargets(folder: string): readonly FuzzTarget[] {
  return [...readerTargets(folder), ...blockTargets(folder), ...setTargets(folder)];
}

/**
 * Runs the cases; `begins` hears of each before it is run.
 *
 * @returns how many were run, by target
 * @throws Error naming the case and the target at the first broken promise
 */
export async function runCases(
  all: readonly FuzzTarget[],
  { seed, first, cases, only }: Omit<FuzzWish, 'set'>,
  begins: (number: number, runs: Readonly<Record<string, number>>) => void = () => {},
): Promise<Record<string, number>> {
  const runs: Record<string, number> = {};
  for (let number = first; number < first + cases; number++) {
    const target = targetOf(all, number);
    begins(number, runs);
    if (!target.name.includes(only)) continue;
    try {
      // Distinct for all cases of a seed.
      const ran = target.run(new Mutator(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)));
      if (ran !== undefined) await ran;
    } catch (error) {
      throw new Error(`case ${number} of seed ${seed}, ${target.name}`, { cause: error });
    }
    runs[target.name] = (runs[target.name] ?? 0) + 1;
  }
  return runs;
}

/** Targets take turns; one that is slow gives most of its turns to the first. */
function targetOf(all: readonly FuzzTarget[], number: number): FuzzTarget {
  const target = all[number % all.length]!;
  const turn = Math.floor(number / all.length);
  return turn % (target.every ?? 1) === 0 ? target : all[turn % 7]!;
}
