/** The tasks that rows of the table plan for a run are those that it has. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Run } from '../../src/coordinator/context.js';
import { pipeline } from '../../src/coordinator/pipeline.js';
import { plan } from '../../src/coordinator/planning/plan.js';
import { FilesSource } from '../../src/coordinator/sketch/source.js';
import { SkipList } from '../../src/coordinator/skips.js';
import { createInlineEngine } from '../../src/engines/inline.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { listInputs } from '../../src/readers/list/inputs.js';
import { planPieces } from '../../src/readers/pieces.js';
import { type Budget, UNBOUNDED } from '../../src/store/budget.js';
import { Store } from '../../src/store/store.js';
import { KERNEL_MODULE } from '../../src/tasks/kernelModule.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { kernelModule } from '../kernel/sketchKernels.js';

/** So little that pairs, keys and sets are worked on in pieces. */
const TINY: Partial<Budget> = { task: 60_000 };

const RUNS: readonly (readonly [name: string, options: RunOptions, budget?: Partial<Budget>])[] = [
  ['signatures', {}],
  ['in little memory', { hotBucket: 3 }, TINY],
  ['shards', { shards: 3, verify: 'signature', hotBucket: 2 }],
  ['identical documents', { exactDuplicates: true }],
  ['sets', { input: 'sets' }],
  ['identical sets', { input: 'sets', exactDuplicates: true }],
];

const WORDS = [
  'ash',
  'birch',
  'cedar',
  'elm',
  'fir',
  'hazel',
  'larch',
  'maple',
  'oak',
  'pine',
  'rowan',
  'yew',
];

/** Texts of forty words, nearly equal by fives. */
function textOf(number: number): string {
  const group = Math.floor(number / 5);
  const words = Array.from({ length: 40 }, (_, i) => WORDS[(i * (group + 3) + ((i * i) >> 2)) % 12]!);
  if (number % 5 > 0) words[number % 5] = `other${number % 5}`;
  return words.join(' ');
}

function inputsIn(t: ExecutionContext, ofSets: boolean): string {
  const folder = temporaryFolder(t);
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const rows = numbers.flatMap((n) =>
    textOf(n)
      .split(' ')
      .map((word, i) => `s${n}\t${word}${i}\n`),
  );
  const lines = numbers.map((n) => `${JSON.stringify({ id: `d${n}`, text: textOf(n) })}\n`);
  writeFileSync(join(folder, ofSets ? 'sets.tsv' : 'lines.jsonl'), (ofSets ? rows : lines).join(''));
  numbers.slice(0, 20).forEach((n) => {
    if (!ofSets) writeFileSync(join(folder, `${n}.txt`), textOf(n));
  });
  return folder;
}

for (const [name, options, budget = {}] of RUNS) {
  test(`the tasks of a run are those of its plan: ${name}`, async (t) => {
    const paths = [inputsIn(t, options.input === 'sets')];
    const { params } = checkOptions({ ...options, paths, threads: 0 }).resolved;
    const store = new Store();
    const engine = await createInlineEngine({
      workerData: { [KERNEL_MODULE]: kernelModule },
      setup: { params },
      store,
    });
    const perform = engine.run;
    const met = new Set<string>();
    engine.run = (task) => {
      met.add(task.kind);
      return perform(task);
    };
    const run = new Run(params, engine, undefined, undefined, { ...UNBOUNDED, ...budget });
    const { files } = await listInputs({ paths, outFolder: null, params });
    const source = new FilesSource(run, files, planPieces({ files }, params, 4000));
    await pipeline(run, source, options.shards ?? 1, new SkipList(), () => {});
    await engine.close();
    const planned = (await plan({ ...options, paths, threads: 0, out: join(paths[0]!, 'out') })).tasks;
    const stages = planned.map(({ stage }) => stage);
    for (const stage of met) t.true(stages.includes(stage), stage);
    for (const { stage, ifNeeded } of planned) {
      if (ifNeeded === undefined && stage !== 'writeTable') t.true(met.has(stage), stage);
    }
  });
}
