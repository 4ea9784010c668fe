/** The program of the thread of `view` (behind.ts), which does one piece of work after the other. */
import { parentPort } from 'node:worker_threads';
import { checkedRows } from '../analysis/inspect.js';
import { type AskedResult, inputsOf } from '../analysis/result/pairTexts.js';
import type { ResultRows } from '../analysis/result/questions.js';
import { failureOf } from '../engines/failure.js';
import type { Failure } from '../engines/protocol.js';
import type { Inputs } from '../readers/list/inputs.js';
import { sharedIndex, writeIndex } from '../result/indexFile.js';
import { inStrings, type KeptFacts, pageFacts } from './pageFacts.js';
import { clustersHaving, fillStore, type TextStore } from './textStore.js';
import { type RequestedPair, type ShownTexts, shownTexts } from './textsPage.js';

/** The work of the thread. `descriptor`: the file descriptor of the open index. */
export type Work =
  | { readonly kind: 'index'; readonly result: AskedResult; readonly file: string }
  | { readonly kind: 'texts'; readonly result: AskedResult; readonly request: RequestedPair }
  | {
      readonly kind: 'read';
      readonly result: AskedResult;
      readonly descriptor: number;
      readonly store: TextStore;
    }
  | {
      readonly kind: 'words';
      readonly result: AskedResult;
      readonly descriptor: number;
      readonly store: TextStore;
      readonly words: string;
    };

/** The answers by kind of work; an index and a store are written to files. */
export interface Answers {
  readonly index: null;
  readonly texts: ShownTexts;
  readonly read: null;
  /** By cluster (from 0), 1 if it has the words. */
  readonly words: Uint8Array;
}

/** A message of the thread. */
export type ThreadMessage =
  | { readonly state: 'working'; readonly share: number }
  | { readonly state: 'done'; readonly answer: Answers[keyof Answers] }
  | { readonly state: 'failed'; readonly failure: Failure };

const say = (message: ThreadMessage, moved: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, moved);

/** Rows between two messages of progress. */
const STEP = 1 << 14;
/** The share of the work that is done when the facts of the overview are ready. */
const OF_FACTS = 0.4;

/** The same rows; calls `onStep` after every STEP rows. */
function countedRows(rows: ResultRows, onStep: () => void): ResultRows {
  return async function* (table) {
    let count = 0;
    for await (const row of rows(table)) {
      if (++count % STEP === 0) onStep();
      yield row;
    }
  };
}

/** Builds the index: the facts first, because afterwards memory has little but numbers. */
async function makeIndex({ folder, manifest }: AskedResult, file: string): Promise<null> {
  const total = Object.values(manifest.files).reduce((sum, { rows }) => sum + rows, 0);
  let steps = 0;
  const rows = countedRows(checkedRows(folder, manifest), () => {
    say({ state: 'working', share: Math.min(OF_FACTS, (OF_FACTS * ++steps * STEP) / total) });
  });
  const { manifest: _, ...facts } = inStrings(await pageFacts(rows, manifest));
  const report = (share: number): void => say({ state: 'working', share });
  const kept: KeptFacts = facts;
  await writeIndex(file, folder, manifest, kept, (done, of) =>
    report(OF_FACTS + (1 - OF_FACTS) * (of === 0 ? 1 : done / of)),
  );
  return null;
}

/** The inputs, listed once, because a corpus can have many files. */
let inputs: Promise<Inputs> | null = null;

function listed(result: AskedResult): Promise<Inputs> {
  inputs ??= inputsOf(result);
  inputs.catch(() => {
    inputs = null;
  });
  return inputs;
}

async function perform(work: Work): Promise<void> {
  const { result } = work;
  const onProgress = (share: number): void => say({ state: 'working', share });
  switch (work.kind) {
    case 'index':
      return say({ state: 'done', answer: await makeIndex(result, work.file) });
    case 'texts': {
      const answer = await shownTexts(result, work.request, () => listed(result));
      return say({ state: 'done', answer }, answer.state === 'texts' ? [answer.markup.buffer] : []);
    }
    case 'read': {
      const index = sharedIndex(work.descriptor, result.folder, result.manifest);
      await fillStore({ result, index, inputs: await listed(result), onProgress }, work.store);
      return say({ state: 'done', answer: null });
    }
    case 'words': {
      const index = sharedIndex(work.descriptor, result.folder, result.manifest);
      return say({ state: 'done', answer: clustersHaving(index, work.store, work.words) });
    }
  }
}

parentPort?.on('message', (work: Work) => {
  perform(work).catch((error: unknown) => say({ state: 'failed', failure: failureOf(error) }));
});
