/** The thread behind `view` (behind.ts): it is sent one thing to do after the other. */
import { parentPort } from 'node:worker_threads';
import { checkedRows } from '../analysis/inspect.js';
import { type AskedResult, inputsOf } from '../analysis/result/pairTexts.js';
import type { ResultRows } from '../analysis/result/questions.js';
import { failureOf } from '../engines/failure.js';
import type { Failure } from '../engines/protocol.js';
import { writeIndex } from '../output/indexFile.js';
import { indexColumns } from '../output/resultIndex.js';
import type { Inputs } from '../readers/list/inputs.js';
import { inStrings, type KeptFacts, pageFacts, pageNumbers } from './pageFacts.js';
import { type AskedPair, type ShownTexts, shownTexts } from './textsPage.js';

/** What there is to do. */
export type Work =
  | { readonly kind: 'index'; readonly result: AskedResult; readonly file: string }
  | { readonly kind: 'texts'; readonly result: AskedResult; readonly asked: AskedPair };

/** What it gives: the index is a file then. */
export interface Answers {
  readonly index: null;
  readonly texts: ShownTexts;
}

/** What the thread says. */
export type ThreadSaid =
  | { readonly state: 'working'; readonly share: number }
  | { readonly state: 'done'; readonly answer: Answers[keyof Answers] }
  | { readonly state: 'failed'; readonly failure: Failure };

const say = (said: ThreadSaid, moved: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(said, moved);

/** Rows between two words about how far it is. */
const STEP = 1 << 14;
/** What of the work is done when the facts of the overview are there. */
const OF_FACTS = 0.45;

/** The same rows; `told` of each some thousand. */
function toldRows(rows: ResultRows, told: () => void): ResultRows {
  async function* each<Row>(given: AsyncIterable<Row>): AsyncGenerator<Row> {
    let count = 0;
    for await (const row of given) {
      if (++count % STEP === 0) told();
      yield row;
    }
  }
  return {
    pairs: () => each(rows.pairs()),
    candidates: () => each(rows.candidates()),
    clusters: () => each(rows.clusters()),
    drops: () => each(rows.drops()),
    skipped: () => each(rows.skipped()),
  };
}

/** Facts first: then nothing is held but the columns. */
async function makeIndex({ folder, manifest }: AskedResult, file: string): Promise<null> {
  const all = Object.values(manifest.files).reduce((sum, { rows }) => sum + rows, 0);
  let steps = 0;
  const rows = toldRows(checkedRows(folder, manifest), () => {
    say({ state: 'working', share: Math.min(OF_FACTS, (OF_FACTS * ++steps * STEP) / all) });
  });
  const thresholds = pageNumbers(manifest)?.thresholds.map(({ threshold }) => threshold) ?? [];
  const { manifest: _, ...facts } = inStrings(await pageFacts(rows, manifest, thresholds));
  const made = await indexColumns(folder, manifest, (done, of) =>
    say({ state: 'working', share: OF_FACTS + (1 - OF_FACTS) * (of === 0 ? 1 : done / of) }),
  );
  writeIndex(file, folder, manifest, made, facts satisfies KeptFacts);
  return null;
}

/** Listed once: a corpus can have many files. */
let inputs: Promise<Inputs> | null = null;

async function perform(work: Work): Promise<void> {
  if (work.kind === 'index') say({ state: 'done', answer: await makeIndex(work.result, work.file) });
  else {
    inputs ??= inputsOf(work.result);
    inputs.catch(() => {
      inputs = null;
    });
    const answer = await shownTexts(work.result, work.asked, await inputs);
    say({ state: 'done', answer }, answer.state === 'texts' ? [answer.markup.buffer] : []);
  }
}

parentPort?.on('message', (work: Work) => {
  perform(work).catch((error: unknown) => say({ state: 'failed', failure: failureOf(error) }));
});
