/** The whole recipe on an engine that sorts gives the result of threads, byte for byte, over random small corpora and options. */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { prepared as preparedFiles } from '../runs/finished.js';
import { manifestIn } from '../runs/resultFiles.js';
import { type ClusterShape, filesOf, preparedRun, runInProcess } from './comparedFolders.js';
import { type SmallFiles, smallLines, smallTexts } from './smallCorpora.js';

const SHAPE: ClusterShape = { mappers: 3, reducers: 4, byStars: false, splitLines: 7 };

async function same(
  t: ExecutionContext,
  files: SmallFiles,
  options: RunOptions,
  shape: Partial<ClusterShape> = {},
): Promise<void> {
  const { folder, options: places } = preparedFiles(t, files);
  const expected = await run({ threads: 0, ...places, ...options });
  const prepared = await preparedRun({ ...places, ...options, out: join(folder, 'streamed') });
  const report = await runInProcess(prepared, { ...SHAPE, ...shape });
  t.deepEqual(filesOf(join(folder, 'streamed')), filesOf(join(folder, 'out')));
  const { out, stages, elapsedMilliseconds, ...told } = report;
  t.like(expected, told);
  const { counts } = manifestIn(join(folder, 'out'));
  t.true(Math.min(counts.identical_pairs, counts.same_tokens_pairs, counts.candidate_pairs) > 0);
}

const NAMED: RunOptions = { idField: 'id' };

test('lines with ids, sets compared', (t) => same(t, smallLines(1, 120, true), NAMED));
test('lines by place, signatures compared', (t) =>
  same(t, smallLines(3, 100, false), { format: 'csv', verify: 'signature' }));
test('texts, all pairs of classes', (t) => same(t, smallTexts(4, 100), { expandIdentical: true }));
