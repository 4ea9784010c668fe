/** What a program gives: documents and streams of every kind, those that fail, those that never end, and who stops them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import type { Run } from '../../../src/coordinator/context.js';
import { MemorySource } from '../../../src/coordinator/sketch/source.js';
import {
  findDuplicates,
  type GivenDocument,
  type MemoryOptions,
  MinHashError,
  type Progress,
  run,
} from '../../../src/index.js';
import { packDocuments } from '../../data/packedDocuments.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { prepared } from '../runs/finished.js';

const random = randomFrom(77);
const PAGE = wordsFrom(random, 80);
/** Twelve texts, most of them near-duplicates of the first. */
const TEXTS = Array.from({ length: 12 }, (_, i) => edited(random, PAGE, i % 6).join(' '));
const DOCUMENTS = TEXTS.map((text, i) => ({ id: `d${String(i).padStart(2, '0')}`, text }));
const HERE: MemoryOptions = { threads: 0, threshold: 0.5 };

async function* later<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

/** The error of a promise that has to reject with one of ours. */
async function refusal(t: ExecutionContext, promise: Promise<unknown>): Promise<MinHashError> {
  return (await t.throwsAsync(promise, { instanceOf: MinHashError }))!;
}

test('findDuplicates takes arrays, iterables, async iterables and streams of documents alike', async (t) => {
  const expected = await findDuplicates(DOCUMENTS, HERE);
  t.true(expected.pairs.length > 5);
  const bytes = DOCUMENTS.map(({ id, text }) => ({ id, text: Buffer.from(text) }));
  for (const given of [new Set(DOCUMENTS), later(DOCUMENTS), Readable.from(DOCUMENTS), later(bytes)]) {
    t.deepEqual(await findDuplicates(given as AsyncIterable<GivenDocument>, HERE), expected);
  }
  for (const nothing of [[], later([])]) {
    t.deepEqual((await findDuplicates(nothing as GivenDocument[], HERE)).pairs, []);
  }
});

test('findDuplicates rejects options that are not an object', async (t) => {
  for (const [options, shown] of [
    [null, 'null'],
    [5, '5'],
    ['exact', 'exact'],
    [[0.5], '[0.5]'],
  ]) {
    const { code, message } = await refusal(
      t,
      findDuplicates(DOCUMENTS, options as unknown as MemoryOptions),
    );
    t.is(code, 'OPTION_INVALID');
    t.true(message.includes(`options ${shown}: expected an object such as { threshold: 0.8 }`), message);
  }
  t.deepEqual((await findDuplicates([], undefined)).pairs, []);
});

test('texts alone have their positions as ids, and the earlier one is kept', async (t) => {
  const named = await findDuplicates(DOCUMENTS, HERE);
  const positions = (id: string): string => String(Number(id.slice(1)));
  for (const given of [TEXTS, later(TEXTS), TEXTS.map((text) => Buffer.from(text))]) {
    const found = await findDuplicates(given as string[], HERE);
    t.deepEqual(
      found.pairs.map(({ a, b, jaccard }) => [a, b, jaccard]),
      named.pairs.map(({ a, b, jaccard }) => [positions(a), positions(b), jaccard]),
    );
    t.deepEqual(
      found.dropped.map(({ document, kept }) => [document, kept]),
      named.dropped.map(({ document, kept }) => [positions(document), positions(kept)]),
    );
    t.deepEqual(
      found.clusters.map(({ representative }) => representative),
      named.clusters.map(({ representative }) => positions(representative)),
    );
  }
  // By position, not as text: 2 is before 10.
  t.deepEqual(
    (await findDuplicates(['a', 'b', 'x y z', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'x y z'], HERE)).dropped,
    [{ document: '10', index: 10, kept: '2', keptIndex: 2, jaccard: 1 }],
  );
});

test('ids are the strings of the caller, with any content', async (t) => {
  const ids = ['é.txt', 'a\tb\\n', '日本', '😀', 'x\udcff', '', '"quoted", so'].sort();
  const found = await findDuplicates(
    ids.map((id) => ({ id, text: 'the same text for all of them' })),
    HERE,
  );
  const met = new Set([found.clusters[0]!.representative, ...found.dropped.map(({ document }) => document)]);
  t.deepEqual([...met].sort(), ids);
});

test('a source that throws rejects with its error as the cause, and in the message', async (t) => {
  const cause = new Error('db connection lost');
  async function* broken(): AsyncGenerator<GivenDocument> {
    yield* DOCUMENTS.slice(0, 3);
    throw cause;
  }
  function* brokenAtOnce(): Generator<GivenDocument> {
    yield* DOCUMENTS.slice(0, 3);
    throw cause;
  }
  const unreadable = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(cause) }) };
  for (const [given, place] of [
    [broken(), 'after 3 documents'],
    [brokenAtOnce(), 'after 3 documents'],
    [unreadable, 'after 0 documents'],
  ] as const) {
    const error = await refusal(t, findDuplicates(given as AsyncIterable<GivenDocument>, HERE));
    t.is(error.code, 'INPUT_FAILED');
    t.is(error.cause, cause);
    t.true(error.message.includes(`${place}: db connection lost`), error.message);
  }
});

test('a value that is not a document is reported by its position, with the expected type', async (t) => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [5, /document 2: expected a string, a Uint8Array or \{ id, text \}, got the number 5/],
    [null, /document 2: expected .*, got null/],
    [['x'], /document 2: expected .*, got an Array/],
    [{ id: 'a' }, /document 2: expected its text to be a string or Uint8Array, got undefined/],
    [{ id: 'a', text: 5 }, /document 2: expected its text .*, got the number 5/],
    [{ id: 7, text: 'x' }, /document 2: expected its id to be a string, got the number 7/],
    [{ text: 'x' }, /document 2: expected its id to be a string, got undefined/],
    ['alone', /document 2: expected \{ id, text \} as those before it, got a text alone/],
  ];
  let closed = 0;
  for (const [value, message] of wrong) {
    const given = [...DOCUMENTS.slice(0, 2), value] as GivenDocument[];
    async function* open(): AsyncGenerator<GivenDocument> {
      try {
        yield* given;
      } finally {
        closed++;
      }
    }
    for (const documents of [given, open()]) {
      const error = await refusal(t, findDuplicates(documents, HERE));
      t.is(error.code, 'DOCUMENT_INVALID');
      t.regex(error.message, message);
    }
  }
  t.is(closed, wrong.length);
  const mixed = await refusal(t, findDuplicates(['x', DOCUMENTS[0]!], HERE));
  t.regex(mixed.message, /document 1: expected a text alone as those before it, got an object/);
  for (const documents of ['one text', Buffer.from('x'), null, {}, 5]) {
    const error = await refusal(t, findDuplicates(documents as unknown as string[], HERE));
    t.regex(error.message, /documents: expected an array, an iterable or an async iterable/);
  }
});

test('all invalid options are reported at once, including those for files only', async (t) => {
  const wrong = { threshold: 2, out: 'x', textField: 'a', threds: 1, signal: {}, onProgress: 5 };
  const error = await refusal(t, findDuplicates(DOCUMENTS, wrong as unknown as MemoryOptions));
  t.deepEqual(
    error.problems.map(({ detail }) => detail.split(':')[0]),
    ['threds', 'threshold 2', 'out', 'textField', 'signal {}', 'onProgress 5'],
  );
});

for (const threads of [0, 1]) {
  test(`a signal rejects with its reason and leaves a source that never goes on, with ${threads} workers`, async (t) => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    let left = false;
    const silent: AsyncIterable<GivenDocument> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          // The source hangs from here on.
          setImmediate(() => controller.abort(reason));
          return new Promise(() => {});
        },
        return: () => {
          left = true;
          return new Promise(() => {});
        },
      }),
    };
    const error = await t.throwsAsync(findDuplicates(silent, { ...HERE, threads, signal }));
    t.is(error, reason);
    t.true(left);
    t.is(getEventListeners(signal, 'abort').length, 0);
    t.is(await t.throwsAsync(findDuplicates(DOCUMENTS, { ...HERE, threads, signal })), reason);
  });
}

test('a signal aborted in any stage rejects with its reason', async (t) => {
  const stages = new Set<string>();
  await findDuplicates(DOCUMENTS, { ...HERE, onProgress: ({ stage }) => stages.add(stage) });
  t.true(stages.size >= 2, [...stages].join());
  for (const stage of stages) {
    const controller = new AbortController();
    const onProgress = (progress: Progress): void => {
      if (progress.stage === stage) controller.abort(stage);
    };
    const rejected = findDuplicates(DOCUMENTS, { ...HERE, signal: controller.signal, onProgress });
    // The last stage may be over when the signal is aborted.
    const outcome = await rejected.then(
      () => 'done',
      (error: unknown) => error,
    );
    t.true(outcome === stage || (outcome === 'done' && stage === [...stages].at(-1)), stage);
    t.is(getEventListeners(controller.signal, 'abort').length, 0);
  }
});

test('progress ends at the total, and an error that its callback throws rejects', async (t) => {
  const told: Progress[] = [];
  await findDuplicates(DOCUMENTS, { ...HERE, onProgress: (progress) => told.push(progress) });
  const read = told.filter(({ stage }) => stage === 'sketch').at(-1)!;
  t.is(
    read.done,
    TEXTS.reduce((sum, text) => sum + text.length, 0),
  );
  const cause = new Error('no more');
  const thrown = await t.throwsAsync(
    findDuplicates(DOCUMENTS, {
      ...HERE,
      onProgress: () => {
        throw cause;
      },
    }),
  );
  t.is(thrown, cause);
});

/** Nine texts of 8 MB each, nearly all of it blanks; only the first and the last have the same words: 72 MB. */
function* largeTexts(): Generator<string> {
  for (let text = 0; text < 9; text++) yield `one two${' '.repeat(8_000_000)}three ${text % 8}`;
}

test.serial('workers are started by default for large texts, and the result is the same', async (t) => {
  let workers = 0;
  const count = (): void => {
    workers++;
  };
  subscribe('worker_threads', count);
  t.teardown(() => unsubscribe('worker_threads', count));
  const options: MemoryOptions = { exactDuplicates: true };
  await findDuplicates(DOCUMENTS, options);
  const here = await findDuplicates(largeTexts(), { ...options, threads: 0 });
  t.is(workers, 0);
  t.deepEqual(await findDuplicates(largeTexts(), options), here);
  t.deepEqual(
    here.dropped.map(({ document, kept }) => [document, kept]),
    [['8', '0']],
  );
  // On one core this thread is as good.
  t.is(workers > 0, availableParallelism() > 1);
});

test('texts stay in memory only if they are read again', async (t) => {
  const blocks = [...packDocuments(DOCUMENTS)];
  for (const [verify, kept] of [
    ['exact', true],
    ['signature', false],
    ['none', false],
  ] as const) {
    const fake = { params: { verify }, put() {} } as unknown as Run;
    for await (const { keepText } of new MemorySource(fake, blocks).first()) t.is(keepText, kept, verify);
  }
});

test('a stream of lines that throws rejects the run with that cause, however much was read', async (t) => {
  const cause = new Error('db connection lost');
  async function* broken(pieces: number): AsyncGenerator<string> {
    for (const document of DOCUMENTS.slice(0, pieces)) yield `${JSON.stringify(document)}\n`;
    throw cause;
  }
  for (const [stdin, place] of [
    [broken(0), 'after 0 pieces'],
    [broken(5), 'after 5 pieces'],
    [Readable.from(broken(1)), 'after 1 piece of the stream'],
  ] as const) {
    const { options } = prepared(t, {});
    const error = await refusal(t, run({ ...options, paths: ['-'], threads: 0 }, { stdin }));
    t.is(error.code, 'INPUT_FAILED');
    t.is(error.cause, cause);
    t.is(error.exitCode, 1);
    t.regex(error.message, new RegExp(`${place}.*: db connection lost`));
  }
});

test('a stream of lines accepts text and bytes only', async (t) => {
  const line = `${JSON.stringify(DOCUMENTS[0])}\n`;
  for (const [value, got] of [
    [5, 'the number 5'],
    [null, 'null'],
    [DOCUMENTS[1], 'an object'],
  ] as const) {
    const { options } = prepared(t, {});
    const stdin = later([line, value]) as AsyncIterable<string>;
    const error = await refusal(t, run({ ...options, paths: ['-'], threads: 0 }, { stdin }));
    t.is(error.code, 'DOCUMENT_INVALID');
    t.true(error.message.includes(`piece 1 of the stream: expected a string or a Uint8Array, got ${got}`));
  }
  const { options } = prepared(t, {});
  const report = await run({ ...options, paths: ['-'], threads: 0 }, { stdin: [line, Buffer.from(line)] });
  t.is(report.counts.documents, 2);
});
