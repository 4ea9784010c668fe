import test from 'ava';
import { verifyCommand } from '../../../cli/commands/verify.js';
import { MinHashError } from '../../../src/errors.js';
import type { Verification, VerifyHooks } from '../../../src/index.js';
import { type CaptureOptions, capturedTerminal } from '../capturedTerminal.js';

const VALID: Verification = {
  folder: 'out\x1b[2J',
  valid: true,
  files: 5,
  rows: 1234,
  bytes: 56_789,
  rule: null,
  problems: [],
};
const BASE = { expected: null, found: null } as const;
const DAMAGED: Verification = {
  ...VALID,
  valid: false,
  problems: [
    { ...BASE, file: 'a\x1b]0;title\x07\n', kind: 'unknown' },
    { file: 'pairs/part-00000.tsv', kind: 'length', expected: 100, found: 95 },
    { file: 'skipped.tsv', kind: 'sha256', expected: 'ab', found: 'cd' },
    { ...BASE, file: '_SUCCESS', kind: 'missing' },
    { ...BASE, file: 'pairs', kind: 'not_a_file', expected: 'a folder' },
    { ...BASE, file: 'stats.json', kind: 'unreadable', found: 'no permission' },
  ],
};

async function shown(
  answer: Verification | Error,
  flags = {},
  capture: CaptureOptions = {},
  folders = ['out'],
) {
  const { terminal, stdout, stderr } = capturedTerminal(capture);
  const verify = (_folder: string, hooks: VerifyHooks = {}): Promise<Verification> => {
    hooks.onProgress?.(500, 1000);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const code = await verifyCommand(folders, flags, { terminal, verify });
  return { code, stdout: stdout(), stderr: stderr() };
}

test('a valid result is exit code 0 and one line', async (t) => {
  t.deepEqual(await shown(VALID), {
    code: 0,
    stdout: 'valid: 5 files, 1,234 rows, 57 KB, all match out\\x1b[2J/manifest.json\n',
    stderr: '',
  });
});

test('every problem of a damaged result is one line without control characters, and the exit code is 1', async (t) => {
  const { code, stdout } = await shown(DAMAGED);
  t.is(code, 1);
  t.deepEqual(stdout.split('\n'), [
    'a\\x1b]0;title\\x07\\n: not part of the result',
    'pairs/part-00000.tsv: length: expected 100 bytes, found 95 bytes',
    'skipped.tsv: SHA-256: expected ab, found cd',
    '_SUCCESS: missing',
    'pairs: not a folder',
    'stats.json: cannot be read: no permission',
    'damaged: 6 problems in 5 files, 1,234 rows, 57 KB',
    '',
  ]);
});

test('an unknown file in a complete result is not damage', async (t) => {
  const problems = [{ ...BASE, file: 'mine.txt', kind: 'unknown' }] as const;
  const { code, stdout } = await shown({ ...DAMAGED, problems });
  t.is(code, 1);
  t.deepEqual(stdout.split('\n'), [
    'mine.txt: not part of the result',
    'the result is complete: 5 files, 1,234 rows, 57 KB; but there is 1 file that is not part of it',
    '',
  ]);
});

test('without a manifest of this version no file is reported as damaged', async (t) => {
  const problem = {
    file: 'manifest.json',
    kind: 'form',
    expected: 'what mr-minhash writes',
    found: 'odd',
  } as const;
  const { code, stdout } = await shown({ ...DAMAGED, files: 0, rows: 0, bytes: 0, problems: [problem] });
  t.is(code, 1);
  t.regex(
    stdout,
    /^manifest\.json: form: .*\nno file was checked: another version or build wrote the result, or /,
  );
});

test('--json prints the verification', async (t) => {
  const { code, stdout } = await shown(DAMAGED, { json: true });
  t.is(code, 1);
  t.deepEqual(JSON.parse(stdout), DAMAGED);
});

test('a rule other than the threshold is printed', async (t) => {
  const { stdout } = await shown({ ...VALID, rule: 'at least 90 of 100 slots agree' });
  t.regex(stdout, /\nnear pairs: at least 90 of 100 slots agree\n$/);
});

test('progress is shown on a terminal only', async (t) => {
  t.regex((await shown(VALID, {}, { tty: true, columns: 80 })).stderr, /verify 500\/1,000 bytes/);
});

test('a missing result and usage errors are exit code 2', async (t) => {
  const missing = await shown(new MinHashError({ code: 'RESULT_MISSING', detail: 'out' }));
  t.is(missing.code, 2);
  t.regex(missing.stderr, /^error: the folder holds no finished result: out\nhint: /);
  t.is((await shown(VALID, {}, {}, [])).code, 2);
  t.is((await shown(VALID, {}, {}, ['a', 'b'])).code, 2);
});
