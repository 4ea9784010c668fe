/** The search for what a reading task fails of, over a stage that only pretends to read. */

import test from 'ava';
import fc from 'fast-check';
import type { Json } from '../../../src/blocks/block.js';
import { encodeBlock } from '../../../src/blocks/block.js';
import { Run } from '../../../src/coordinator/context.js';
import { type ReadResult, runReading } from '../../../src/coordinator/sketch/badDocuments.js';
import type { Engine } from '../../../src/engines/engine.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { MinHashError } from '../../../src/errors.js';
import type { Split } from '../../../src/readers/split.js';
import type { ResultParams } from '../../../src/sketch/params.js';
import { createMemoryStore } from '../../../src/store/store.js';

import type { TaskKind, Workplace } from '../../../src/tasks/task.js';
import type { SourcePart } from '../../../src/tasks/workplace.js';

interface Params {
  readonly split: { readonly from: number; readonly to: number };
  readonly parts?: readonly SourcePart[];
}

/** What a stage does with the parts it is told to read, [from, to) each; it reports the parts. */
type Reading = (
  parts: readonly (readonly [from: number, to: number])[],
  name: (part: number) => void,
) => void;

function kindOf(read: Reading): TaskKind<Params, readonly SourcePart[] | null> {
  const work = ({ split, parts }: Params, here: Workplace) => {
    const all = parts ?? [[split.from, split.to, 0]];
    const numbers = all.flatMap(([, , lost], i) => (lost === 0 ? [i] : []));
    read(
      numbers.map((i) => [all[i]![0], all[i]![1]]),
      (part) => here.progress(numbers[part]! + 1),
    );
    here.progress(all.length + 1);
    return parts ?? null;
  };
  return { work };
}

const RANGE = { kind: 'range', file: {}, index: 0, from: 1000, to: 1_000_000 };

async function search(
  read: Reading,
  source: Json = RANGE,
  prepare: (engine: Engine) => string | null = () => null,
): Promise<ReadResult<'sketch'>> {
  const tasks = { TASKS: { sketch: kindOf(read) } };
  const engine = await createInlineEngine({ tasks, setup: null, store: createMemoryStore() });
  const run = new Run({} as ResultParams, engine, undefined, undefined);
  const text = prepare(engine);
  const task = {
    kind: 'sketch' as const,
    label: 'it',
    params: { block: 0, split: source as unknown as Split, text },
    inputs: text === null ? [] : [text],
  };
  return runReading(run, task);
}

/** Fails of every bad position in a part. */
function failingAt(bad: readonly number[], count = { attempts: 0 }): Reading {
  return (parts, name) => {
    count.attempts++;
    parts.forEach(([from, to], i) => {
      name(i);
      for (const at of bad) if (at >= from && at < to) throw new Error(`at ${at}`);
    });
  };
}

function lostOf({ result }: ReadResult<'sketch'>): number[] {
  return (result.report as unknown as readonly SourcePart[]).flatMap(([from, , lost]) =>
    lost === 1 ? [from] : [],
  );
}

test('runReading leaves out what fails and nothing else, and the parts cover the source', async (t) => {
  const positions = fc.uniqueArray(fc.integer({ min: RANGE.from, max: RANGE.to - 1 }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(positions, async (bad) => {
      const count = { attempts: 0 };
      const found = await search(failingAt(bad, count));
      t.deepEqual(
        lostOf(found),
        bad.sort((a, b) => a - b),
      );
      const parts = found.result.report as unknown as readonly SourcePart[];
      t.is(parts[0]![0], RANGE.from);
      t.is(parts.at(-1)![1], RANGE.to);
      for (let i = 1; i < parts.length; i++) t.is(parts[i]![0], parts[i - 1]![1]);
      // Two attempts and a look at the file; two rounds of parts and one alone for each; a last look, and the task.
      t.is(count.attempts, 3 + 3 * bad.length + 2);
    }),
    { seed: 1, numRuns: 40 },
  );
});

test('runReading of a task that fails by chance gives its result', async (t) => {
  let failures = 2;
  const found = await search((parts, name) => {
    parts.forEach((_, i) => {
      name(i);
    });
    if (failures-- > 0) throw new Error('by chance');
  });
  t.deepEqual(lostOf(found), []);
  t.false(found.isLost(0));
});

test('runReading throws what the task failed of where no part is to blame alone', async (t) => {
  const together: Reading = (parts, name) => {
    let size = 0;
    parts.forEach(([from, to], i) => {
      name(i);
      size += to - from;
      if (size > 500_000) throw new Error('too much together');
    });
  };
  const silent: Reading = () => {
    throw new Error('before anything was read');
  };
  const afterwards: Reading = (parts, name) => {
    parts.forEach((_, i) => {
      name(i);
    });
    if (parts.length > 0 && parts[0]![1] > parts[0]![0]) throw new Error('after all was read');
  };
  for (const [read, message] of [
    [together, /too much together/],
    [afterwards, /after all was read/],
  ] as const) {
    const error = await t.throwsAsync(search(read), { instanceOf: MinHashError, message });
    t.is((error as MinHashError).code, 'TASK_FAILED');
    t.regex(error!.message, /stage sketch, task "it"/);
  }
  const memory = { kind: 'memory' };
  const putText = (engine: Engine): string => {
    engine.store.put('text', encodeBlock('text', {}, { idEnds: new Float64Array(3) }).buffer);
    return 'text';
  };
  await t.throwsAsync(search(silent, memory, putText), { message: /before anything was read/ });
});

test('runReading gives up when more fail than can be their own fault', async (t) => {
  const bad = Array.from({ length: 33 }, (_, i) => RANGE.from + 7 * i);
  await t.throwsAsync(search(failingAt(bad)), { code: 'TASK_FAILED' });
  t.is(lostOf(await search(failingAt(bad.slice(1)))).length, 32);
});

test('runReading leaves out all of a range whose file cannot even be opened', async (t) => {
  const found = await search((parts) => {
    if (parts.length > 0) throw new Error('no such luck');
  });
  t.deepEqual(found.result.report, [[RANGE.from, RANGE.to, 2]]);
  t.true(found.isLost(0));
});

test('runReading cuts a chunk at its lines', async (t) => {
  const bytes = new Uint8Array(Buffer.from('first\n\nthird\nlast'));
  const putText = (engine: Engine): string => {
    engine.store.put('text', encodeBlock('text', {}, { bytes }).buffer);
    return 'text';
  };
  const chunk = { kind: 'chunk', index: 0, id: 'it', firstLine: 0 };
  const read = (bad: number): Reading => {
    const inner = failingAt([bad]);
    // The whole chunk is told no range.
    return (parts, name) =>
      inner(
        parts.map(([from, to]) => (from === undefined ? [0, 17] : [from, to])),
        name,
      );
  };
  for (const [bad, part] of [
    [2, [0, 6, 1]],
    [6, [6, 7, 1]],
    [15, [13, 17, 1]],
  ] as const) {
    const { result } = await search(read(bad), chunk, putText);
    t.deepEqual(
      (result.report as unknown as readonly SourcePart[]).filter(([, , lost]) => lost === 1),
      [part],
    );
  }
});

test('runReading searches the elements of a block by their positions', async (t) => {
  const elements = {
    kind: 'elements',
    file: {},
    index: 0,
    from: 2e6,
    to: 3e6,
    first: 77,
    count: 5000,
  };
  const inner = failingAt([0, 4999]);
  const read: Reading = (parts, name) =>
    inner(
      parts.map(([from, to]) => (from === elements.from ? [0, elements.count] : [from, to])),
      name,
    );
  const found = await search(read, elements);
  t.deepEqual(lostOf(found), [0, 4999]);
  t.true(found.isLost(0));
  const shut = await search(() => {
    throw new Error('no such luck');
  }, elements).catch((error: unknown) => error);
  t.is((shut as MinHashError).code, 'TASK_FAILED');
});
