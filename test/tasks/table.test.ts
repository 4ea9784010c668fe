/** The table of tasks: what a row says of blocks and of the plan is what runs do. */

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
import { TASKS } from '../../src/tasks/table.js';
import type { PlannedKind } from '../../src/tasks/task.js';
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

/** The family of a name: `signatures` of `signatures/17`. */
const familyOf = (name: string): string => name.split('/', 1)[0]!;

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
  test(`tasks read and write what their rows say, and are those of the plan: ${name}`, async (t) => {
    const paths = [inputsIn(t, options.input === 'sets')];
    const { params } = checkOptions({ ...options, paths, threads: 0 }).resolved;
    const store = new Store();
    const engine = await createInlineEngine({
      workerData: { [KERNEL_MODULE]: kernelModule },
      setup: { params },
      store,
    });
    const perform = engine.run;
    const met = new Map<string, number>();
    engine.run = async (task) => {
      const { reads, writes } = TASKS[task.kind as keyof typeof TASKS] as PlannedKind<never, unknown>;
      met.set(task.kind, (met.get(task.kind) ?? 0) + 1);
      for (const input of task.inputs)
        t.true(reads.includes(familyOf(input) as never), `${task.kind} < ${input}`);
      const result = await perform(task);
      for (const output of result.outputs)
        t.true(writes.includes(familyOf(output) as never), `${task.kind} > ${output}`);
      return result;
    };
    const run = new Run(params, engine, undefined, undefined, { ...UNBOUNDED, ...budget });
    const { files } = await listInputs({ paths, outFolder: null, params });
    const source = new FilesSource(run, files, planPieces({ files }, params, 4000));
    await pipeline(run, source, options.shards ?? 1, new SkipList(), () => {});
    await engine.close();
    const planned = (await plan({ ...options, paths, threads: 0, out: join(paths[0]!, 'out') })).tasks;
    const stages = planned.map(({ stage }) => stage);
    for (const stage of met.keys()) t.true(stages.includes(stage), stage);
    for (const { stage, ifNeeded } of planned) {
      if (ifNeeded === undefined && stage !== 'writeTable') t.true(met.has(stage), stage);
    }
  });
}
