import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { encodeBlock } from '../../src/blocks/block.js';
import { manifestParameters } from '../../src/output/manifest.js';
import { findRun, fingerprintOf, isNoted, readState, writeRunState } from '../../src/output/runState.js';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { parametersFor } from './resultSample.js';

const STATE = {
  version: '0.1.0',
  unicode: '15.0.0',
  key: 'abc',
  parameters: manifestParameters(parametersFor()),
};

function inputs() {
  const columns = {
    root: new Uint32Array(3),
    idOffsets: Uint32Array.of(0, 1, 2, 3),
    idBytes: new Uint8Array(3),
  };
  const times = new Float64Array(3);
  return encodeBlock(
    'inputs',
    { roots: [['/corpus/', '']] },
    { ...columns, sizes: Float64Array.of(1, 2, 3), times },
  );
}

function written(t: ExecutionContext): string {
  const out = temporaryFolder(t);
  mkdirSync(join(out, '.work'));
  writeRunState(out, STATE, inputs());
  return out;
}

test('what was written is found', (t) => {
  const out = written(t);
  t.deepEqual(readdirSync(join(out, '.work')).sort(), ['inputs.block', 'run.json']);
  const found = findRun(out);
  if (found.kind !== 'found') return t.fail(found.kind);
  const { inputs: checksum, form, tool, ...state } = found.state;
  t.regex(checksum, /^[0-9a-f]{8}$/);
  t.is(form, 1);
  t.is(tool, 'mr-minhash');
  t.deepEqual({ ...state, checksum: undefined }, { ...STATE, checksum: undefined } as object);
  t.deepEqual([...found.inputs.columns.sizes!], [1, 2, 3]);
  t.true(isNoted(out));
  t.is(fingerprintOf(found.state), fingerprintOf(STATE));
});

test('nothing is found where there is nothing, or only the inputs', (t) => {
  const out = temporaryFolder(t);
  t.is(findRun(out).kind, 'none');
  t.false(isNoted(out));
  const half = written(t);
  rmSync(join(half, '.work', 'run.json'));
  t.is(findRun(half).kind, 'none');
  t.false(isNoted(half));
});

test('every flipped byte and every truncation of both files is found and named', (t) => {
  const out = written(t);
  for (const name of ['run.json', 'inputs.block']) {
    const path = join(out, '.work', name);
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = bytes[at]! ^ (1 << (at % 8));
      writeFileSync(path, bytes);
      const found = findRun(out);
      if (found.kind === 'damaged') {
        t.is(found.damage.path, path);
        t.not(found.damage.expected, found.damage.found);
      } else if (found.kind !== 'found' || name !== 'run.json') t.fail(`${name} at ${at}: ${found.kind}`);
      // Case and blanks of JSON alone say nothing.
      else t.deepEqual(found.state.parameters, STATE.parameters);
    }
    for (const length of [0, 1, 63, 64, whole.length - 2]) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      t.is(findRun(out).kind, 'damaged', `${name}, ${length} bytes`);
    }
    writeFileSync(path, whole);
  }
  rmSync(join(out, '.work', 'inputs.block'));
  const found = findRun(out);
  t.is(found.kind === 'damaged' && found.damage.found, 'no file');
  t.false(isNoted(out));
});

test('inputs of another run are not believed', (t) => {
  const [one, other] = [written(t), written(t)];
  writeRunState(other, STATE, encodeBlock('inputs', {}, { sizes: Float64Array.of(4) }));
  writeFileSync(join(one, '.work/inputs.block'), readFileSync(join(other, '.work/inputs.block')));
  t.is(findRun(one).kind, 'damaged');
});

test('a state of another form is damaged, and JSON that is no state, too', (t) => {
  const out = written(t);
  const path = join(out, '.work', 'run.json');
  for (const text of ['', 'null', '[]', '{}', '{"checksum": 1}', '"text"']) {
    writeFileSync(path, text);
    const state = readState(path);
    t.true(state !== null && 'expected' in state, text);
  }
});

test('the fingerprint tells version, tables, run and every parameter apart', (t) => {
  const of = (change: object): string => fingerprintOf({ ...STATE, ...change });
  const all = [
    of({}),
    of({ version: '0.1.1' }),
    of({ unicode: '16.0.0' }),
    of({ key: 'abd' }),
    of({ parameters: { ...manifestParameters(parametersFor()), seed: 2 } }),
    of({ parameters: manifestParameters(parametersFor('none')) }),
  ];
  t.is(new Set(all).size, all.length);
  for (const text of all) t.regex(text, /^[0-9a-f]{32}$/);
});

test('a write that fails leaves no run that seems noted, and no temporary file', (t) => {
  const calls = ['open', 'write', 'sync', 'close', 'rename', 'syncFolder'] as const;
  let wholeCalls = 0;
  for (let failsAt = 1; failsAt < 100; failsAt++) {
    const out = temporaryFolder(t);
    mkdirSync(join(out, '.work'));
    let made = 0;
    const door = { ...NODE_FILES };
    for (const call of calls) {
      Object.assign(door, {
        [call]: (...words: unknown[]) => {
          if (++made === failsAt) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          return (NODE_FILES[call] as (...words: unknown[]) => unknown)(...words);
        },
      });
    }
    const write = (): void => writeRunState(out, STATE, inputs(), door as FileDoor);
    if (failsAt > wholeCalls && wholeCalls > 0) break;
    try {
      write();
      wholeCalls = made;
      t.true(isNoted(out));
    } catch (error) {
      t.is((error as { code?: string }).code, 'DISK_FULL');
      // All is there when the folder alone could not be synced.
      if (existsSync(join(out, '.work/run.json'))) t.is(findRun(out).kind, 'found');
      else t.false(isNoted(out));
      t.deepEqual(
        readdirSync(join(out, '.work')).filter((name) => name.endsWith('.tmp')),
        [],
      );
    }
  }
  t.true(wholeCalls >= 10, String(wholeCalls));
});
