import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MinHashError } from '../../src/errors.js';
import { checkOutput, prepareOutput } from '../../src/output/folder.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { textOf } from './resultSample.js';

const VERSION = '0.1.0';

/** An unfinished run with work and half of a result. */
function unfinishedRun(t: ExecutionContext): string {
  const out = join(temporaryFolder(t), 'out');
  prepareOutput(out, { force: false, version: VERSION }).abandon();
  mkdirSync(join(out, '.work'));
  writeFileSync(join(out, '.work', 'run.json'), 'work');
  writeFileSync(join(out, 'pairs', 'part-00000.tsv'), 'half');
  return out;
}

test('an unfinished run is taken up with its work, or without, and its half result goes', (t) => {
  for (const isTakenUp of [true, false]) {
    const out = unfinishedRun(t);
    t.deepEqual(checkOutput(out, { force: false, resume: true }), []);
    const asked: string[] = [];
    const takesUp = (path: string): boolean => {
      asked.push(path);
      // Held by now, and unchanged.
      t.true(existsSync(join(path, '.mr-minhash.lock')));
      t.true(existsSync(join(path, 'pairs/part-00000.tsv')));
      return isTakenUp;
    };
    const folder = prepareOutput(out, { force: false, version: VERSION, takesUp });
    t.deepEqual(asked, [out]);
    t.is(existsSync(join(out, '.work', 'run.json')), isTakenUp);
    t.deepEqual(readdirSync(join(out, 'pairs')), []);
    const second = t.throws(() => prepareOutput(out, { force: false, version: VERSION, takesUp }));
    t.is((second as MinHashError).code, 'OUTPUT_LOCKED');
    folder.abandon();
  }
});

test('a run that may not be taken up is left as it is, and free', (t) => {
  const out = unfinishedRun(t);
  const takesUp = (): boolean => {
    throw new MinHashError({ code: 'RESUME_MISMATCH', detail: '' });
  };
  t.throws(() => prepareOutput(out, { force: false, version: VERSION, takesUp }), {
    code: 'RESUME_MISMATCH',
  });
  t.is(textOf(out, 'pairs/part-00000.tsv'), 'half');
  t.is(textOf(out, '.work/run.json'), 'work');
  t.false(existsSync(join(out, '.mr-minhash.lock')));
});

test('what is finished is not taken up, and what is not ours neither', (t) => {
  const out = unfinishedRun(t);
  writeFileSync(join(out, '_SUCCESS'), '');
  writeFileSync(join(out, 'manifest.json'), '{"tool": "mr-minhash"}');
  const takesUp = (): boolean => true;
  t.throws(() => prepareOutput(out, { force: false, version: VERSION, takesUp }), { code: 'OUTPUT_EXISTS' });
  const foreign = temporaryFolder(t);
  writeFileSync(join(foreign, 'thesis.txt'), 'precious');
  t.throws(() => prepareOutput(foreign, { force: false, version: VERSION, takesUp }), {
    code: 'OUTPUT_FOREIGN',
  });
});
