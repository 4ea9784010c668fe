/** Reports the jobs of a run on an engine as stages: their progress, and their times. */
import type { StageStats } from '../../output/manifest.js';
import type { Progress } from '../context.js';
import type { RunHooks } from '../recipe.js';

/** The progress of Maps and Reduces in the output of Hadoop. */
const PERCENTAGES = /map (\d+) ?% reduce (\d+) ?%/;

export class JobTeller {
  private readonly hooks: RunHooks;
  private readonly begun: { readonly stage: string; readonly at: number }[] = [];
  private told: Pick<Progress, 'done' | 'total' | 'unit'> = { done: 0, total: 1, unit: 'jobs' };

  constructor(hooks: RunHooks) {
    this.hooks = hooks;
  }

  begin(stage: string): void {
    this.end();
    this.begun.push({ stage, at: performance.now() });
    this.tell({ done: 0, total: 1, unit: 'jobs' });
  }

  count(done: number, unit: string): void {
    this.tell({ done, total: null, unit });
  }

  /** Takes a line of the engine's output; reports the progress in it, if any. */
  status(text: string): void {
    const [, map, reduce] = PERCENTAGES.exec(text) ?? [];
    if (map !== undefined) this.tell({ done: (Number(map) + Number(reduce)) / 2, total: 100, unit: '%' });
  }

  private tell(told: Pick<Progress, 'done' | 'total' | 'unit'>): void {
    const last = this.begun.at(-1);
    if (last === undefined) return;
    this.told = told;
    const { stage, at } = last;
    this.hooks.onProgress?.({ stage, ...told, bytes: 0, elapsedMs: performance.now() - at });
  }

  private end(): void {
    if (this.begun.length === 0) return;
    this.tell(this.told.unit === 'documents' ? this.told : { done: 1, total: 1, unit: 'jobs' });
  }

  stages(): StageStats[] {
    this.end();
    const now = performance.now();
    return this.begun.map(({ stage, at }, i) => {
      return { stage, tasks: 1, milliseconds: (this.begun[i + 1]?.at ?? now) - at, bytes: 0 };
    });
  }
}
