/** What is written from ordered records is what threads write, byte for byte. */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Jobs } from '../../../src/coordinator/cluster/jobs.js';
import { Run } from '../../../src/coordinator/context.js';
import type { Executed } from '../../../src/coordinator/finish/facts.js';
import { run } from '../../../src/coordinator/run.js';
import { SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { FilesSource } from '../../../src/coordinator/sketch/source.js';
import { startEngine } from '../../../src/coordinator/start/engine.js';
import type { Prepared } from '../../../src/coordinator/start/prepare.js';
import type { RunOptions } from '../../../src/options/check.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { UNBOUNDED } from '../../../src/store/budget.js';
import { VERSION } from '../../../src/store/packageFiles.js';
import { createSpillingStore } from '../../../src/store/spilling.js';
import { kernelHere } from '../../../src/tasks/kernelHere.js';
import { RECORD_FORMAT } from '../../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../../engines/processEngine.js';
import { execute } from '../executed.js';
import { prepared as preparedFiles } from '../runs/finished.js';
import { filesOf, preparedRun, writtenBy } from './comparedFolders.js';
import { rangesOf, recordsOfOutcome } from './outcomeRecords.js';
import { type SmallFiles, smallLines, smallTexts } from './smallCorpora.js';

async function executed(
  { params, execution, inputs }: Prepared,
  work: string,
): Promise<{ found: Executed; skipped: SkipList }> {
  const store = createSpillingStore({ folder: work, limit: 1e9 });
  const engine = await (await startEngine(params, execution, store)).ready;
  const skipped = new SkipList();
  const current = new Run(params, engine, undefined, undefined, UNBOUNDED);
  const source = new FilesSource(current, inputs.files, planPieces(inputs, params), {});
  const found = await execute(current, source, 1, skipped);
  await engine.close();
  await store.close();
  return { found, skipped };
}

/** Compares what threads write with what is written from the records of the same outcome. */
async function same(
  t: ExecutionContext,
  files: SmallFiles,
  options: RunOptions,
  isRouted = false,
): Promise<void> {
  const { folder, options: places } = preparedFiles(t, files);
  await run({ threads: 0, ...places, ...options });
  const prepared = await preparedRun({ ...places, ...options, out: join(folder, 'streamed') });
  const { params } = prepared;
  const { found, skipped } = await executed(prepared, join(folder, 'work'));
  const { corpus, outcome } = found;
  const engine = new ProcessEngine({ kernel: await kernelHere(), splits: [] });
  const jobs = new Jobs(engine, { format: RECORD_FORMAT, version: VERSION, run: 'test', params, files: [] });
  if (isRouted) jobs.learn({ routes: Array.from({ length: rangesOf(corpus.documents) }, (_, r) => 9 * r) });
  const before = await jobs.write('before', recordsOfOutcome(found, 'test'));
  const second = await jobs.run('seconds', [before]);
  const result = await jobs.run('firsts', [before, second.name], { ordered: true });
  const { counts, thresholds, recall } = outcome;
  const sums = Object.fromEntries(thresholds.map((step) => [`dropped at ${step.threshold}`, step.dropped]));
  const { written } = await writtenBy(prepared, engine, {
    corpus: {
      ...{ documents: corpus.documents, namedDocuments: 1, skipped },
      ...{ passedOver: corpus.passedOver, repeatedIds: corpus.counts.repeatedIds },
    },
    result: result.name,
    drops: { name: 'drops', sums },
    hot: {
      ...{ rounds: counts.rounds, keptUncompared: counts.keptUncompared, recall },
      pairsSkippedAtMost: counts.pairsSkippedAtMost,
      ...{ evidence: [], survivors: { steps: '', drops: { name: '', sums: {} } } },
    },
  });
  t.deepEqual(filesOf(join(folder, 'streamed')), filesOf(join(folder, 'out')));
  // The corpus has everything that may differ.
  const { counts: told } = written.facts;
  const { identical_pairs, same_tokens_pairs, empty, repaired, candidate_pairs } = told;
  t.true(Math.min(identical_pairs, same_tokens_pairs, empty, repaired, candidate_pairs) > 0);
}

const NAMED: RunOptions = { idField: 'id' };

test('lines with ids, exact', (t) => same(t, smallLines(1, 120, true), NAMED));
test('lines with ids as JSON, by signatures, all pairs of classes', (t) =>
  same(t, smallLines(2, 120, true), {
    ...NAMED,
    format: 'jsonl',
    verify: 'signature',
    expandIdentical: true,
  }));
test('lines by place as CSV, candidates alone', (t) =>
  same(t, smallLines(3, 100, false), { format: 'csv', verify: 'none' }, true));
test('texts, all pairs of classes', (t) =>
  same(t, smallTexts(4, 100), { expandIdentical: true, sketch: 'classic' }, true));
test('texts as CSV', (t) => same(t, smallTexts(5, 60), { format: 'csv', threshold: 0.5 }));
