/** What lies in the folder of a run is data: forged notes start nothing and write nothing, and `--resume` says what it takes. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { FLAG_KEYS, OPTION_KEYS, OPTIONS, takenUpBy } from '../../../src/options/table.js';
import { canonicalJson } from '../../../src/output/manifest.js';
import { interruptAt } from '../../coordinator/resume/takenUp.js';
import { prepared } from '../../coordinator/runs/finished.js';
import { resultBytes } from '../../coordinator/runs/resultFiles.js';
import { programHere } from '../programHere.js';

const WORDS = 'one two three four five six seven eight nine ten eleven twelve';
const TEXTS = { 'a.txt': WORDS, 'b.txt': `${WORDS} more`, 'c.txt': 'another text' };

/** Where notes lie, by what has to be there. */
const PLACES = ['out/.mr-minhash', 'out/.new/.mr-minhash', 'out/stats.json'];

interface Scene {
  readonly folder: string;
  /** The bytes of the result to come. */
  readonly whole: Record<string, string>;
}

/** A run, interrupted or finished, whose only note is at the place. */
async function noted(t: ExecutionContext, place: string): Promise<Scene> {
  const { folder, options: places } = prepared(t, TEXTS);
  const options = { ...places, threads: 0, threshold: 0.5 };
  await run({ ...options, out: join(folder, 'whole') });
  if (place.includes('.new')) await run({ ...options, threshold: 0.9 });
  if (place.endsWith('stats.json')) await run(options);
  else await interruptAt(t, { ...options, force: place.includes('.new') }, 'verify');
  return { folder, whole: resultBytes(join(folder, 'whole')) };
}

/** Changes what a note says. */
function forge(path: string, change: (options: Record<string, unknown>) => void): void {
  const note = JSON.parse(readFileSync(path, 'utf8'));
  change(note.options);
  writeFileSync(path, canonicalJson(note));
}

/** What no note may hold, with values that would start a program or write elsewhere. */
function dangers(folder: string): Record<string, unknown> {
  const script = join(folder, 'touches.sh');
  writeFileSync(script, `#!/bin/sh\ntouch ${join(folder, 'touched')}\n`, { mode: 0o755 });
  return {
    write: join(folder, 'written'),
    s3Endpoint: 'http://127.0.0.1:9',
    out: join(folder, 'elsewhere'),
    force: true,
    resume: true,
    dryRun: true,
    json: true,
    quiet: true,
    verbose: true,
    config: join(folder, 'config.json'),
    printConfig: true,
    constructor: 1,
    ['__proto__']: 2,
  };
}

test('what decides the result is noted, and of the rest numbers, switches and the reference alone', (t) => {
  const noted = OPTION_KEYS.filter((key) => takenUpBy(key) === 'note');
  const execution = noted.filter((key) => OPTIONS[key].decides === 'execution');
  t.deepEqual(
    execution.filter((key) => !['integer', 'size', 'duration', 'switch'].includes(OPTIONS[key].kind.kind)),
    ['against'],
  );
  // They are shown before they are used, and taken from the user's own folder alone.
  t.deepEqual(
    noted.filter((key) => ['path', 'paths', 'words', 'address'].includes(OPTIONS[key].kind.kind)),
    ['stopWords', 'decisions', 'against'],
  );
});

for (const place of PLACES) {
  test.serial(`a forged ${place} is refused by name, and nothing is started or written`, async (t) => {
    const { folder, whole } = await noted(t, place);
    const path = join(folder, place);
    const before = readFileSync(path);
    const all = Object.entries(dangers(folder));
    const refusal = (key: string): string =>
      `error: what the output folder notes of its run is not taken: ${place} holds ${key}, which is never noted`;
    // Each by itself, once: another one might be what is refused.
    for (const [key, value] of place === PLACES[0] ? all : []) {
      writeFileSync(path, before);
      forge(path, (options) => Object.defineProperty(options, key, { value, enumerable: true }));
      const { code, stdout, stderr } = await programHere(folder, ['run', '--resume', '--out', 'out']);
      t.deepEqual([code, stdout], [2, ''], stderr);
      t.is(stderr.split('\n')[0], refusal(key));
    }
    forge(path, (options) => {
      for (const [key, value] of all) Object.defineProperty(options, key, { value, enumerable: true });
      Object.assign(options, { threshold: [], include: 5, typed: ['threshold'], paths: 7 });
    });
    const forged = readFileSync(path, 'utf8');
    const { code, stderr } = await programHere(folder, ['run', '--resume', '--out', 'out']);
    t.is(code, 2, stderr);
    for (const [key] of all) t.true(stderr.includes(refusal(key)), key);
    t.regex(stderr, /: --threshold \[\]: expected /);
    t.regex(stderr, /: --include 5: expected /);
    t.regex(stderr, /: PATH 7: expected /);
    t.regex(stderr, /names flags to type that are none/);
    t.regex(
      stderr,
      /^hint: type the PATHs and flags of the run beside --resume, .*: another version or build wrote/m,
    );
    t.is(readFileSync(path, 'utf8'), forged);
    // Typed, they need no note.
    const typed = await programHere(folder, [
      'run',
      'in',
      '--resume',
      '--out',
      'out',
      '--threshold',
      '0.5',
      '--threads',
      '0',
    ]);
    t.is(typed.code, 0, typed.stderr);
    t.deepEqual(resultBytes(join(folder, 'out')), whole);
    for (const name of ['touched', 'written', 'cluster', 'elsewhere'])
      t.false(existsSync(join(folder, name)), name);
  });

  test.serial(`${place} is taken where the user alone may write, and shown`, async (t) => {
    const { folder, whole } = await noted(t, place);
    const chain = place.split('/').map((_, i, names) => names.slice(0, i + 1).join('/'));
    const resumed = ['run', '--resume', '--out', 'out', '--threads', '0'];
    for (const name of chain) {
      const { mode, uid, gid } = lstatSync(join(folder, name));
      chmodSync(join(folder, name), mode | 0o020);
      const { code, stderr } = await programHere(folder, resumed);
      t.is(code, 2);
      t.true(stderr.includes(`is not taken: ${name} may be written by others (mode `), stderr);
      t.regex(stderr, /; chmod go-w .* makes it yours alone\)/);
      chmodSync(join(folder, name), mode);
      if (uid !== 0) continue;
      chownSync(join(folder, name), 12_345, gid);
      const other = await programHere(folder, resumed);
      t.is(other.code, 2);
      t.true(other.stderr.includes(`is not taken: ${name} belongs to user 12345, and you are user`));
      t.false(other.stderr.includes('in/'), 'a stranger says nothing');
      chownSync(join(folder, name), uid, gid);
    }
    const { code, stderr } = await programHere(folder, resumed);
    t.is(code, 0, stderr);
    const kept = place.endsWith('stats.json') ? '' : ' --checkpoint-after 0';
    t.is(
      stderr.split('\n')[0],
      `resume: PATHs and flags from ${place}: ${join(folder, 'in')} --threshold 0.5${kept}`,
    );
    t.deepEqual(resultBytes(join(folder, 'out')), whole);
  });
}

test.serial(
  'reference and stop words of a note are shown; a query of a note is refused, whoever owns it',
  async (t) => {
    const { folder } = await noted(t, 'out/.mr-minhash');
    const path = join(folder, 'out/.mr-minhash');
    writeFileSync(join(folder, 'stop.txt'), 'the\n');
    mkdirSync(join(folder, 'it is'));
    forge(path, (options) => {
      const more = { against: [join(folder, 'it is')], stopWords: join(folder, 'stop.txt') };
      Object.assign(options, { ...more, shingle: 'stopwords:3' });
    });
    const shown = await programHere(folder, ['run', '--resume', '--out', 'out', '--quiet']);
    t.not(shown.code, 0);
    t.is(
      shown.stderr.split('\n')[0],
      `resume: PATHs and flags from out/.mr-minhash: ${join(folder, 'in')} --shingle stopwords:3 ` +
        `--stop-words ${join(folder, 'stop.txt')} --threshold 0.5 --against '${join(folder, 'it is')}' --threads 0 --checkpoint-after 0`,
    );
    forge(path, (options) => {
      for (const key of Object.keys(options)) delete options[key];
      options.sql = `COPY (SELECT 1) TO '${join(folder, 'written')}'; SELECT 'a' AS text`;
    });
    const refused = await programHere(folder, ['run', '--resume', '--out', 'out']);
    t.is(refused.code, 2);
    t.regex(refused.stderr, /sql/);
    t.false(existsSync(join(folder, 'written')));
  },
);

test.serial(
  'flags that are not noted are in the line to go on with, and asked for where they are missing',
  async (t) => {
    const { folder, options: places } = prepared(t, TEXTS);
    const options = { ...places, threads: 0, threshold: 0.5, write: join(folder, 'clean') };
    await interruptAt(t, options, 'verify');
    t.false(readFileSync(join(folder, 'out/.work/run.json'), 'utf8').includes('clean'));
    const text = readFileSync(join(folder, 'out/.mr-minhash'), 'utf8');
    t.false(text.includes('clean'));
    t.deepEqual(JSON.parse(text).options.typed, ['write']);
    const { code, stderr } = await programHere(folder, ['run', '--resume', '--out', 'out', '--shards', '2']);
    t.is(code, 2);
    t.deepEqual(stderr.trimEnd().split('\n'), [
      'error: --resume: the run had --write, and its folder does not note the values',
      'hint: type them again: mr-minhash run --resume --out out --shards 2 --write ...',
    ]);
    t.false(existsSync(join(folder, 'clean')));
    const typed = await programHere(folder, ['run', '--resume', '--out', 'out', '--write', 'clean']);
    t.is(typed.code, 0, typed.stderr);
    t.true(existsSync(join(folder, 'clean/a.txt')));
  },
);

test.serial(
  'JSON junk, links, pipes and files without end in the places of notes are named, and none is a defect',
  async (t) => {
    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
    const junk = [
      '',
      'null',
      '5',
      '[]',
      '{',
      deep,
      `{"tool":"mr-minhash","options":{"threshold":${deep}}}`,
      '\u0000',
      '{"options":{}}',
    ];
    for (const place of ['out/.mr-minhash', 'out/stats.json']) {
      const { folder } = await noted(t, place);
      const path = join(folder, place);
      const tried = async (what: string): Promise<void> => {
        const { code, stdout, stderr } = await programHere(folder, ['run', '--resume', '--out', 'out']);
        t.deepEqual([code, stdout], [2, ''], `${what}: ${stderr}`);
        t.notRegex(stderr, /defect|\n +at /, what);
      };
      renameSync(path, join(folder, 'note'));
      symlinkSync(join(folder, 'note'), path);
      await tried('a link to a note');
      rmSync(path);
      for (const text of junk) {
        writeFileSync(path, text);
        await tried(text.slice(0, 40));
      }
      truncateSync(path, 2 ** 40);
      await tried('sparse');
      rmSync(path);
      symlinkSync('/dev/zero', path);
      await tried('link');
      rmSync(path);
      spawnSync('mkfifo', [path]);
      await tried('pipe');
    }
  },
);

test.serial('what a run makes under umask 002 is taken up', async (t) => {
  const { folder, options } = prepared(t, TEXTS);
  const before = process.umask(0o002);
  try {
    await run({ ...options, threads: 0, threshold: 0.9 });
    await interruptAt(t, { ...options, threads: 0, threshold: 0.5, force: true }, 'verify');
    const { code, stderr } = await programHere(folder, ['run', '--resume', '--out', 'out', '--threads', '0']);
    t.is(code, 0, stderr);
    t.is((await programHere(folder, ['run', '--resume', '--out', 'out'])).code, 0);
  } finally {
    process.umask(before);
  }
});

test('every flag has its place: no option is noted, typed again or left by accident', (t) => {
  const by = (way: string): string[] =>
    FLAG_KEYS.filter((key) => key !== 'config' && key !== 'printConfig' && takenUpBy(key) === way);
  t.deepEqual(by('attempt'), ['out', 'force', 'resume', 'json', 'quiet', 'verbose', 'dryRun']);
  t.deepEqual(by('typing'), ['write', 's3Endpoint']);
});
