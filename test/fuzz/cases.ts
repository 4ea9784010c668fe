/** The cases of fuzzing one after the other: a case is known by the seed and its number alone. */
import { blockTargets } from './blocks.js';
import { logTargets } from './logs.js';
import type { FuzzTarget, FuzzWish } from './main.js';
import { Mutator } from './mutations.js';
import { readerTargets } from './readers.js';
import { setTargets } from './setReaders.js';

/**
 * Runs the cases; `told` hears of every thousandth.
 *
 * @returns how many were run, by target
 * @throws Error naming the case and the target at the first broken promise
 */
export async function runCases(
  wish: FuzzWish,
  told: (done: number, runs: Readonly<Record<string, number>>) => void = () => {},
): Promise<Record<string, number>> {
  const all = [
    ...readerTargets(wish.folder),
    ...blockTargets(wish.folder),
    ...logTargets(wish.folder),
    ...setTargets(wish.folder),
  ];
  const runs: Record<string, number> = {};
  for (let done = 0; done < wish.cases; done++) {
    const number = wish.first + done;
    const target = targetOf(all, number);
    if (target.name.includes(wish.only)) {
      try {
        // Distinct for all cases of a seed.
        const ran = target.run(
          new Mutator(Math.imul(wish.seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)),
        );
        if (ran !== undefined) await ran;
      } catch (error) {
        throw new Error(`case ${number} of seed ${wish.seed}, ${target.name}`, { cause: error });
      }
      runs[target.name] = (runs[target.name] ?? 0) + 1;
    }
    if (done % 1000 === 999) told(done + 1, runs);
  }
  return runs;
}

/** Targets take turns; one that is slow gives most of its turns to the first. */
function targetOf(all: readonly FuzzTarget[], number: number): FuzzTarget {
  const target = all[number % all.length]!;
  const turn = Math.floor(number / all.length);
  return turn % (target.every ?? 1) === 0 ? target : all[turn % 7]!;
}
