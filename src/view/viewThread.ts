/** The program of a thread of `view` (workThread.ts), which does one piece of work after the other. */
import { parentPort } from 'node:worker_threads';
import { checkedRows } from '../analysis/inspect.js';
import { inputsOf, type ResultSource } from '../analysis/result/pairTexts.js';
import { failureOf } from '../engines/failure.js';
import type { Failure } from '../engines/protocol.js';
import type { Inputs } from '../readers/list/inputs.js';
import { type IndexColumns, indexColumns, indexOf } from '../result/resultIndex.js';
import { type PageFacts, pageFacts } from './pageFacts.js';
import { clustersWithWords, fillStore, type TextStore } from './textStore.js';
import { type RequestedPair, type ShownTexts, shownTexts } from './textsPage.js';

/** The work of the thread. The columns of an index and the store are shared with the server. */
export type Work = { readonly result: ResultSource } & (
  | { readonly kind: 'index' }
  | { readonly kind: 'texts'; readonly request: RequestedPair }
  | { readonly kind: 'read'; readonly locations: IndexColumns['locations']; readonly store: TextStore }
  | {
      readonly kind: 'words';
      readonly columns: IndexColumns;
      readonly store: TextStore;
      readonly words: string;
    }
);

/** The answers by kind of work; `read` fills the store. */
export interface Answers {
  readonly index: { readonly facts: PageFacts; readonly columns: IndexColumns };
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

const send = (message: ThreadMessage, moved: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, moved);

const onProgress = (share: number): void => send({ state: 'working', share });

/** The share of the work that is done when the columns are ready. */
const OF_COLUMNS = 0.7;

async function builtIndex({ folder, manifest }: ResultSource): Promise<Answers['index']> {
  const columns = await indexColumns(folder, manifest, (share) => onProgress(OF_COLUMNS * share));
  const facts = await pageFacts(checkedRows(folder, manifest), indexOf(manifest, columns));
  return { facts, columns };
}

/** The inputs, listed once, because a corpus can have many files. */
let inputs: Promise<Inputs> | null = null;

function listed(result: ResultSource): Promise<Inputs> {
  inputs ??= inputsOf(result);
  inputs.catch(() => {
    inputs = null;
  });
  return inputs;
}

async function perform(work: Work): Promise<void> {
  const { result } = work;
  switch (work.kind) {
    case 'index':
      return send({ state: 'done', answer: await builtIndex(result) });
    case 'texts': {
      const answer = await shownTexts(result, work.request, () => listed(result));
      return send({ state: 'done', answer }, answer.state === 'texts' ? [answer.markup.buffer] : []);
    }
    case 'read': {
      const { locations, store } = work;
      await fillStore({ result, locations, inputs: await listed(result), onProgress }, store);
      return send({ state: 'done', answer: null });
    }
    case 'words':
      return send({ state: 'done', answer: clustersWithWords(work.columns, work.store, work.words) });
  }
}

parentPort?.on('message', (work: Work) => {
  perform(work).catch((error: unknown) => send({ state: 'failed', failure: failureOf(error) }));
});
