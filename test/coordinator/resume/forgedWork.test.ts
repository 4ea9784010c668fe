/**
 * Blocks in `.work` whose content cannot be, each with a checksum of it: they are damage, made anew, and the result has the bytes of
 * an undisturbed run. All kinds of edits are drawn in test/fuzz/hostileFolders.ts.
 */
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type RunOptions, run } from '../../../src/index.js';
import { absurdities, loggedBlocks, writeLogged } from '../../fuzz/forgedWork.js';
import { prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { interruptAt, mixedCorpus, takeUp } from './takenUp.js';

const COLUMN_BLOCKS = 9;

/** Every family of blocks, as runs of these options leave them. */
const SHAPES: Readonly<Record<string, RunOptions>> = {
  signatures: { threshold: 0.5 },
  'row chunks': { threshold: 0.5, shards: 2 },
  paragraphs: { threshold: 0.5, unit: 'paragraph', minTokens: 3 },
  'bags of stop words': { threshold: 0.5, shingle: 'stopwords:3', bag: true },
  'values of fields': { threshold: 0.5, keep: 'field:id:max' },
  'content keys': { exactDuplicates: true },
};

test.serial('what a run kept, of every family of blocks, is what the next one believes', async (t) => {
  const { options } = prepared(t, mixedCorpus());
  for (const [name, more] of Object.entries(SHAPES)) {
    const all = { ...options, threads: 0, ...more, out: `${options.out} ${name}` };
    await interruptAt(t, all, 'write');
    const { found, tasks } = await takeUp(all);
    if (found.kind !== 'taken up') return t.fail(`${name}: ${found.kind}`);
    t.deepEqual(found.damage, [], name);
    t.is(found.columnBlocks, COLUMN_BLOCKS, name);
    t.is(tasks.sketch, 0, name);
  }
});

const ABSURD = [
  'documents/0: file[0] = 4294967295',
  'documents/0: record[0] = NaN',
  'documents/0: idOffsets reversed',
  'documents/0: tokens[0] = 2147483648',
  'documents/0: occurrences[0] = 9007199254740992',
  'documents/0: contentKey without its last',
  'documents/0: meta lines = -1',
  'documents/0: report = null',
  'documents/0: name of the next one',
  'signatures/0: meta stride = 2147483648',
  'signatures/0: slots empty',
];

test.serial('a block that cannot be is named, made anew, and never another result', async (t) => {
  const { folder, options: places } = prepared(t, mixedCorpus());
  const options = { ...places, threads: 0, threshold: 0.5 };
  await run({ ...options, out: join(folder, 'whole') });
  const left = join(folder, 'left');
  await interruptAt(t, { ...options, out: left }, 'write');
  const forgeries = absurdities(loggedBlocks(left));
  for (const wanted of ABSURD) {
    const forgery = forgeries.find(({ name }) => name === wanted);
    if (forgery === undefined) return t.fail(wanted);
    rmSync(options.out, { recursive: true, force: true });
    cpSync(left, options.out, { recursive: true });
    const blocks = loggedBlocks(options.out);
    forgery.edit(blocks);
    await writeLogged(options.out, blocks);
    const { found } = await takeUp(options);
    if (found.kind !== 'taken up') return t.fail(`${wanted}: ${found.kind}`);
    t.regex(found.damage[0]?.expected ?? '', /^block "\w+\/.*" of this run$/, wanted);
    t.regex(found.damage[0]?.found ?? '', /^other content: expected /, wanted);
    t.deepEqual(resultBytes(options.out), resultBytes(join(folder, 'whole')), wanted);
  }
});

test.serial(
  'a slot of a signature that another put there cannot be told: where others may write, nothing is believed',
  async (t) => {
    const { folder, options: places } = prepared(t, mixedCorpus());
    const options = { ...places, threads: 0, threshold: 0.5 };
    await run({ ...options, out: join(folder, 'whole') });
    await interruptAt(t, options, 'write');
    const blocks = loggedBlocks(options.out);
    for (const { kind, columns } of blocks) if (kind === 'signatures') columns.slots!.fill(7);
    await writeLogged(options.out, blocks);
    chmodSync(join(options.out, '.work'), 0o777);
    const { found } = await takeUp(options);
    t.is(found.kind, 'over');
    t.regex(found.kind === 'over' ? found.why : '', /\.work may be written by others \(mode 0777; /);
    t.deepEqual(resultBytes(options.out), resultBytes(join(folder, 'whole')));
  },
);
