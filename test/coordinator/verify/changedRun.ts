/** Runs over files that change between the first and the second reading. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { RunHooks } from '../../../src/coordinator/recipe.js';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { type Files, type Finished, prepared, resultOf } from '../runs/finished.js';

/** The first stages after the first reading. */
const PAIRING = /^(bands|fingerprints)$/;

/** Calls `change` once, when a stage of that name tells its first progress. */
export function during(stage: RegExp, change: () => void): RunHooks {
  let changed = false;
  return {
    onProgress: (progress) => {
      if (changed || !stage.test(progress.stage)) return;
      changed = true;
      change();
    },
  };
}

/** @param change changes the files in the folder that it is given */
export async function changedRun(
  t: ExecutionContext,
  files: Files,
  change: (inputs: string) => void,
  options: RunOptions = {},
): Promise<Omit<Finished, 'summary'>> {
  const { folder, inputs, options: places } = prepared(t, files);
  const hooks = during(PAIRING, () => change(inputs));
  const report = await run({ threads: 0, ...places, ...options }, hooks);
  rmSync(inputs, { recursive: true });
  mkdirSync(inputs);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(inputs, name), content);
  return { folder, inputs, report, ...resultOf(places.out) };
}
