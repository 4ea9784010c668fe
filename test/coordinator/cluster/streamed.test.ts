/** What is written from ordered records is what threads write, byte for byte. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ClusterOutcome } from '../../../src/coordinator/cluster/clusterRecipe.js';
import { Jobs } from '../../../src/coordinator/cluster/jobs.js';
import { Run } from '../../../src/coordinator/context.js';
import { documentsByFile } from '../../../src/coordinator/finish/fileSources.js';
import type { Executed } from '../../../src/coordinator/finish/makeFacts.js';
import { run } from '../../../src/coordinator/run.js';
import { SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { FilesSource } from '../../../src/coordinator/sketch/source.js';
import { startEngine } from '../../../src/coordinator/start/engine.js';
import type { Prepared } from '../../../src/coordinator/start/prepare.js';
import type { DatasetRecord } from '../../../src/engines/job.js';
import type { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { UNBOUNDED } from '../../../src/store/budget.js';
import { VERSION } from '../../../src/store/packageFiles.js';
import { Store } from '../../../src/store/store.js';
import { kernelHere } from '../../../src/tasks/kernelHere.js';
import { KINDS } from '../../../src/tasks/stream/kinds.js';
import { RECORD_FORMAT } from '../../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../../engines/processEngine.js';
import { filesOf as tableOf } from '../../tasks/manifestTables.js';
import { execute } from '../executed.js';
import { prepared as preparedFiles } from '../runs/finished.js';
import { filesOf, preparedRun, writtenBy } from './comparedFolders.js';
import { membersOfOutcome, RANGE, rangesOf, recordsOfOutcome } from './outcomeRecords.js';
import { copiedLines, type SmallFiles, smallLines, smallTexts } from './smallCorpora.js';

async function executed({
  params,
  execution,
  inputs,
}: Prepared): Promise<{ found: Executed; skipped: SkipList }> {
  const store = new Store();
  const engine = await (await startEngine(params, execution, store)).ready;
  const skipped = new SkipList();
  const current = new Run(params, engine, undefined, undefined, UNBOUNDED);
  const source = new FilesSource(current, inputs.files, planPieces(inputs, params), {});
  const found = await execute(current, source, 1, skipped);
  await engine.close();
  await store.close();
  return { found, skipped };
}

/** What threads write into `out`, and what the records of the same outcome are written from into `streamed`. */
interface Both {
  readonly folder: string;
  readonly prepared: Prepared;
  readonly engine: ProcessEngine;
  readonly outcome: ClusterOutcome;
}

async function both(t: ExecutionContext, files: SmallFiles, options: RunOptions): Promise<Both> {
  const { folder, options: places } = preparedFiles(t, files);
  await run({ threads: 0, ...places, ...options });
  const prepared = await preparedRun({ ...places, ...options, out: join(folder, 'streamed') });
  const { params } = prepared;
  const { found, skipped } = await executed(prepared);
  const { corpus, outcome } = found;
  const engine = new ProcessEngine({ kernel: await kernelHere(), splits: [] });
  const jobs = new Jobs(engine, {
    format: RECORD_FORMAT,
    version: VERSION,
    run: 'test',
    params,
    files: tableOf([]),
  });
  jobs.learn({
    range: RANGE,
    routes: Array.from({ length: rangesOf(corpus.documents) }, (_, range) => 9 * range),
  });
  const before = await jobs.write('before', recordsOfOutcome(found, 'test', params.expandIdentical));
  const members = await jobs.write('members', membersOfOutcome(found));
  const second = await jobs.run('secondIds', params.expandIdentical ? [before] : [before, members]);
  const result = await jobs.run('resultRows', [before, members, second.name], { ordered: true });
  const { pairing, thresholds, recall } = outcome;
  const sums = Object.fromEntries(thresholds.map((step) => [`dropped at ${step.threshold}`, step.dropped]));
  return {
    ...{ folder, prepared, engine },
    outcome: {
      corpus: {
        ...{ documents: corpus.documents, namedDocuments: 1, valuesMissing: () => 0, groups: null, skipped },
        ...{
          tooShort: 0,
          cut: 0,
          strides: null,
          documentsByFile: documentsByFile(prepared.inputs.files.length, corpus.tables),
          leftOutRecords: corpus.leftOutRecords,
          repeatedIds: corpus.counts.repeatedIds,
        },
      },
      ...{ classes: { name: 'classes', sums: {} }, withdrawn: new Set() },
      ...{ result: result.name, documents: null },
      decided: null,
      eliminated: null,
      hotBucket: pairing.hot_bucket!,
      unlisted: null,
      drops: { name: 'drops', sums },
      steps: { name: 'steps', sums: {} },
      hot: {
        buckets: pairing.hot_buckets,
        ...{ rounds: pairing.rounds, keptUncompared: pairing.kept_uncompared, recall },
        pairsSkippedAtMost: pairing.pairs_skipped_at_most,
        ...{ evidence: [], survivors: { steps: { name: '', sums: {} }, drops: { name: '', sums: {} } } },
      },
    },
  };
}

const lines = { ...smallLines(2, 100, true), ...copiedLines(120) };
const named: RunOptions = { idField: 'id', hotBucket: 4, bands: 3, rows: 4 };

test('rows with hot buckets, all pairs of classes', async (t) => {
  const options: RunOptions = { ...named, verify: 'signature', expandIdentical: true };
  const { folder, prepared, engine, outcome } = await both(t, lines, options);
  const { written } = await writtenBy(prepared, engine, outcome);
  t.deepEqual(filesOf(join(folder, 'streamed')), filesOf(join(folder, 'out')));
  // The corpus has everything that may differ.
  const { counts, recall } = written.facts;
  const { identical_pairs, same_tokens_pairs, empty, repaired, verified_pairs, ids_repeated } = counts;
  const some = [identical_pairs, same_tokens_pairs, empty, repaired, verified_pairs, ids_repeated];
  t.true(Math.min(...some, counts.hot_buckets, counts.pairs_skipped_at_most) > 0 && recall !== undefined);
});

test('tables are cut into parts of as many rows', async (t) => {
  const { folder, prepared, engine, outcome } = await both(t, smallLines(2, 60, true), named);
  const rows = 7;
  await writtenBy(prepared, engine, outcome, rows);
  const [parts, whole] = [filesOf(join(folder, 'streamed')), filesOf(join(folder, 'out'))];
  for (const table of ['candidates', 'pairs', 'clusters']) {
    const named = Object.keys(parts).filter((name) => name.startsWith(`${table}/part-`));
    const expected = whole[`${table}/part-00000.tsv`]!.split('\n');
    t.is(named.length, Math.ceil((expected.length - 2) / rows));
    const cut = named.sort().flatMap((name) => parts[name]!.split('\n').slice(1, -1));
    t.deepEqual(cut, expected.slice(1, -1));
  }
});

test('what is missing does not pass', async (t) => {
  const { prepared, engine, outcome } = await both(t, smallTexts(4, 60), {});
  const more = { ...outcome, corpus: { ...outcome.corpus, documents: outcome.corpus.documents + 1 } };
  const error = await t.throwsAsync<MinHashError>(writtenBy(prepared, engine, more));
  t.is(error!.code, 'COUNTS_UNBALANCED');
  t.regex(error!.message, /documents found/);
  t.false(existsSync(join(prepared.execution.out, '_SUCCESS')));
  const { params } = prepared;
  const jobs = new Jobs(engine, {
    format: RECORD_FORMAT,
    version: VERSION,
    run: 'test',
    params,
    files: tableOf([]),
  });
  const isNoFirst = ([key]: DatasetRecord): boolean => key[0] !== KINDS.ranked || key[8] !== 0;
  const before = await jobs.write('without', engine.datasets.get('001-before')!.filter(isNoFirst));
  const result = await jobs.run('resultRows', [before, '003-secondIds'], { ordered: true });
  rmSync(prepared.execution.out, { recursive: true });
  await t.throwsAsync(writtenBy(prepared, engine, { ...outcome, result: result.name }), {
    message: /no document of rank \d+, which has rows/,
  });
  const isNoLater = ([key]: DatasetRecord): boolean => key[0] !== KINDS.ranked || key[8] === 0;
  const firsts = await jobs.write('resultRows', engine.datasets.get('001-before')!.filter(isNoLater));
  await t.throwsAsync(jobs.run('secondIds', [firsts]), {
    message: /no document of rank \d+, which rows name/,
  });
});
