/** Runs with data in files that end early and are resumed. The commands that are killed are in test/kills. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { nearCopies } from '../../data/nearCopies.js';
import { type Files, prepared } from './finished.js';
import { resultBytes } from './resultFiles.js';

/** Four files of records: 80 near copies, so that a bucket of each band is not small, and pairs of other documents. */
const FILES: Files = Object.fromEntries(
  [1, 2, 3, 4].map((file) => {
    const records = nearCopies(file === 1 ? 80 : 4, file).map(({ text }, i) => ({
      text: `${String(text).replaceAll('word', `f${file}w`)} ${i}`,
    }));
    return [`${file}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join('')];
  }),
);

interface Place {
  readonly folder: string;
  readonly inputs: string;
  readonly options: RunOptions & { readonly out: string };
  readonly hidden: string;
  readonly work: string;
}

function placeOf(t: ExecutionContext): Place {
  const { folder, inputs, options } = prepared(t, FILES);
  const hidden = join(folder, '.out.mr-minhash-new');
  return {
    ...{ folder, inputs, hidden, work: join(hidden, '.work') },
    options: { ...options, threshold: 0.6, candidates: 'all', threads: 0 },
  };
}

class End extends Error {}

/** Runs until there is a file whose name begins so in `.work`, or a stage of that name begins. */
async function endedAt(t: ExecutionContext, { options, work }: Place, point: string): Promise<void> {
  const onProgress = ({ stage }: { readonly stage: string }): void => {
    const names = existsSync(work) ? readdirSync(work) : [];
    if (stage === point || names.some((name) => name.startsWith(point))) throw new End(point);
  };
  await t.throwsAsync(run(options, { inFiles: true, onProgress }), { instanceOf: End }, point);
}

let expected: Record<string, string> | null = null;
/** The result of a run that nothing disturbs, in memory. */
async function undisturbed({ options, folder }: Place): Promise<Record<string, string>> {
  if (expected !== null) return expected;
  const out = join(folder, 'undisturbed');
  await run({ ...options, out });
  expected = resultBytes(out);
  return expected;
}

const POINTS = ['documents-1', 'listedPairs-2-0', 'comparedBuckets', 'sets-2', 'verify'];

for (const point of POINTS) {
  test(`a run over files that ends at ${point} is resumed to the same bytes, and makes no whole file again`, async (t) => {
    const place = placeOf(t);
    const { options, hidden, work } = place;
    await endedAt(t, place, point);
    t.false(existsSync(options.out));
    t.deepEqual(readdirSync(hidden).sort(), ['.work', 'writer']);
    const before = readdirSync(work).map((name) => ({ name, ino: statSync(join(work, name)).ino }));
    let changed: string[] = [];
    const onProgress = ({ stage }: { readonly stage: string }): void => {
      if (stage !== 'verify') return;
      changed = before
        .filter(({ name, ino }) => statSync(join(work, name)).ino !== ino)
        .map(({ name }) => name);
    };
    const onStartOver = (): void => t.fail();
    await run({ ...options, resume: true }, { onProgress, onStartOver });
    t.deepEqual(changed, []);
    t.deepEqual(resultBytes(options.out), await undisturbed(place));
    t.false(existsSync(hidden));
  });
}

test('a flipped byte in a work file never changes the result', async (t) => {
  const place = placeOf(t);
  const { options, work } = place;
  const wanted = await undisturbed(place);
  await endedAt(t, place, 'verify');
  for (const kind of new Set(readdirSync(work).map((name) => name.replace(/-.*/, '')))) {
    for (const name of readdirSync(work).filter((name) => name.startsWith(kind))) {
      const bytes = readFileSync(join(work, name));
      for (let at = 3 * name.length; at < bytes.length; at += 97 * name.length) bytes[at]! ^= 1 << (at & 7);
      writeFileSync(join(work, name), bytes);
    }
    const end = ({ stage }: { readonly stage: string }): void => {
      if (stage === 'verify') throw new End();
    };
    await t.throwsAsync(run({ ...options, resume: true }, { onProgress: end, inFiles: true }));
  }
  await run({ ...options, resume: true });
  t.deepEqual(resultBytes(options.out), wanted);
});

test('other options or inputs start a run over, and are reported', async (t) => {
  const place = placeOf(t);
  const { options, inputs } = place;
  const resumed = async (more: RunOptions): Promise<readonly string[]> => {
    let differences: readonly string[] = [];
    const end = (): void => {
      throw new End();
    };
    const hooks = { inFiles: true, onProgress: end };
    const onStartOver = (found: readonly string[]): void => {
      differences = found;
    };
    await t.throwsAsync(run({ ...options, resume: true, ...more }, { ...hooks, onStartOver }));
    return differences;
  };
  await endedAt(t, place, 'documents-1');
  t.deepEqual(await resumed({ threshold: 0.7, threads: 1, memory: '1GB' }), [
    'other options (threshold, banding)',
  ]);
  t.deepEqual(await resumed({ threshold: 0.7 }), []);
  writeFileSync(join(inputs, '2.jsonl'), '{"text": "other"}\n');
  t.regex((await resumed({ threshold: 0.7 })).join(), /2\.jsonl: \d+ bytes, now 18$/);
  writeFileSync(join(inputs, '9.jsonl'), '{"text": "more"}\n');
  t.deepEqual(await resumed({ threshold: 0.7 }), [`${join(inputs, '9.jsonl')}: new`]);
});

test('with --resume, a run without work files of an earlier one starts over, and the reason is reported', async (t) => {
  const place = placeOf(t);
  const { options } = place;
  const reasons: string[] = [];
  await run({ ...options, resume: true }, { onStartOver: (found) => reasons.push(...found) });
  t.deepEqual(reasons, ['there are no work files of an earlier attempt']);
  t.deepEqual(resultBytes(options.out), await undisturbed(place));
});

test('a run without --resume removes the work files of an earlier one', async (t) => {
  const place = placeOf(t);
  const { options, work } = place;
  await endedAt(t, place, 'sets-2');
  const onProgress = ({ stage }: { readonly stage: string }): void => {
    if (stage === 'sketch') t.false(existsSync(work));
  };
  await run(options, { onProgress });
  t.deepEqual(resultBytes(options.out), await undisturbed(place));
});
