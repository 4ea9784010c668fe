/** Settings of the command, run in turn, compared within one go, and believed only where their answers agree. */
import { type ProductRun, runProduct } from './product.js';

export interface Setting {
  readonly title: string;
  readonly args: readonly string[];
  /** Settings with the same word here must have the same answer, byte for byte. */
  readonly answers: string;
}

export interface Rounds {
  readonly setting: Setting;
  readonly runs: readonly ProductRun[];
}

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median over the rounds of what is picked from a run. */
export function medianOf<Run>(
  { runs }: { readonly runs: readonly Run[] },
  pick: (run: Run) => number,
): number {
  return median(runs.map(pick));
}

/** Every setting once a round, after a round that does not count and warms the page cache. */
export async function inTurn(settings: readonly Setting[], rounds: number): Promise<readonly Rounds[]> {
  const taken = settings.map((setting) => ({ setting, runs: [] as ProductRun[] }));
  const answers = new Map<string, { readonly answer: string; readonly title: string }>();
  for (let round = -1; round < rounds; round++) {
    for (const { setting, runs } of taken) {
      const run = await runProduct(setting.args);
      const first = answers.get(setting.answers) ?? { answer: run.answer, title: setting.title };
      answers.set(setting.answers, first);
      if (run.answer !== first.answer)
        throw new Error(`the answers of "${setting.title}" and "${first.title}" differ`);
      if (round >= 0) runs.push(run);
      process.stderr.write(`round ${round + 1} of ${rounds}, ${setting.title}: ${run.wall.toFixed(2)} s\n`);
    }
  }
  return taken;
}
