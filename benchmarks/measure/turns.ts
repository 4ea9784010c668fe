/** Runs settings of the command in turn and compares them within one session, if their answers agree. */
import { type ProductRun, runProduct } from './product.js';

export interface Setting {
  readonly title: string;
  readonly args: readonly string[];
  /** Settings with the same word must have the same result, byte for byte. */
  readonly answers: string;
}

export interface Rounds {
  readonly setting: Setting;
  readonly runs: readonly ProductRun[];
}

/** The median; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median over the rounds of a value of a run. */
export function medianOf<Run>(
  { runs }: { readonly runs: readonly Run[] },
  pick: (run: Run) => number,
): number {
  return median(runs.map(pick));
}

/** Runs every setting once per round, after a round that only warms the page cache. */
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
