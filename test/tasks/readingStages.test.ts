/** Which documents get a sketch, where a task reads copies. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { GatheredReading } from '../../src/tasks/stream/gatheredRecords.js';
import { CONTENT_HEAD, KINDS, SPLIT } from '../../src/tasks/stream/kinds.js';
import { type CorpusRow, u32At, u64At } from '../../src/tasks/stream/records.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { processRun } from '../engines/corpusRows.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';

const [COPIED, OTHER] = [
  '{"text":"the same words in two documents"}',
  '{"text":"words that no other one has"}',
];

/** The places of the sketches that one task writes for splits in this order, each with the copied document and lines before it. */
async function sketchedPlaces(folder: string, splits: readonly (readonly [start: number, before: number])[]) {
  const file = join(folder, 'a.jsonl');
  writeFileSync(file, `${COPIED}\n${OTHER}\n${COPIED}\n`);
  const rows = splits.flatMap(([start, before]): CorpusRow[] =>
    [...Array<string>(before).fill(OTHER), COPIED].map((line) => {
      return { file: `file:${file}`, start, bytes: Buffer.from(line) };
    }),
  );
  const { engine, jobs } = await processRun(
    { paths: [file] },
    { kernel: createReferenceKernel(), splits: [rows] },
  );
  const { name } = await jobs.run('sketch', []);
  const places: string[] = [];
  const sketches = new GatheredReading();
  for (const [[kind], value] of engine.datasets.get(name)!) {
    if (kind !== KINDS.sketch) continue;
    sketches.open(value);
    while (sketches.next()) {
      const place = sketches.head + CONTENT_HEAD;
      places.push(`${u64At(value, place + 4)}+${u32At(value, place + SPLIT)}`);
    }
  }
  return places.sort();
}

test('one sketch stands for copies that a task reads, that of the earliest', async (t) => {
  const folder = temporaryFolder(t);
  const inOrder = [
    [0, 0],
    [40, 1],
  ] as const;
  t.deepEqual(await sketchedPlaces(folder, inOrder), ['0+0', '40+0']);
  // The copy behind the other document is read first, so that both copies have a sketch.
  t.deepEqual(await sketchedPlaces(folder, inOrder.toReversed()), ['0+0', '40+0', '40+1']);
});
