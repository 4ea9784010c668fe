import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { sharedFolder, temporaryFolder } from '../data/temporaryFolder.js';

const folder = sharedFolder({});

/** Runs the command in a process of its own with a run that waits for its signal, and interrupts it. */
function interrupted(
  body: string,
  out: string,
  interruptAt: readonly string[] = ['ready\n'],
): Promise<{ code: number | null; stderr: string }> {
  const script = `
    import { runCommand } from ${JSON.stringify(new URL('../../cli/commands/run.js', import.meta.url).href)};
    import { createTerminal } from ${JSON.stringify(new URL('../../cli/terminal.js', import.meta.url).href)};
    import { MinHashError } from ${JSON.stringify(new URL('../../src/errors.js', import.meta.url).href)};
    const terminal = createTerminal(process.stdout, process.stderr, process.env);
    const alive = setInterval(() => {}, 1000);
    const run = (options, { signal }) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => { ${body} });
      setImmediate(() => terminal.say('ready'));
    });
    const loadLibrary = async () => ({ run });
    const context = { terminal, loadLibrary, checkPlaces: async () => [] };
    process.exitCode = await runCommand(['x'], { out: ${JSON.stringify(out)} }, context);
    clearInterval(alive);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  let stderr = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    const before = stderr;
    stderr += text;
    for (const word of interruptAt) {
      if (stderr.includes(word) && !before.includes(word)) child.kill('SIGINT');
    }
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

test('the first interrupt stops the run, which ends with 130 and a message', async (t) => {
  const { code, stderr } = await interrupted(
    "reject(new MinHashError({ code: 'INTERRUPTED', detail: '' }))",
    folder,
  );
  t.is(code, 130);
  t.true(stderr.includes('stopping; interrupt again to stop at once\n'));
  t.regex(stderr, /interrupted: nothing was written\n$/);
});

test('an interrupted run that would replace a result reports that the result is still there', async (t) => {
  const earlier = temporaryFolder(t);
  writeFileSync(join(earlier, 'manifest.json'), '{"tool": "mr-minhash"}');
  writeFileSync(join(earlier, '_SUCCESS'), '');
  const { code, stderr } = await interrupted('reject(new Error("any"))', earlier);
  t.is(code, 130);
  t.true(stderr.endsWith(`interrupted: nothing was written; ${earlier} has the earlier result\n`));
});

test('a signal before a command listens ends the program with 130 and a message', async (t) => {
  const script = `
    import { endAtInterrupt } from ${JSON.stringify(new URL('../../cli/interrupt.js', import.meta.url).href)};
    import { createTerminal } from ${JSON.stringify(new URL('../../cli/terminal.js', import.meta.url).href)};
    const terminal = createTerminal(process.stdout, process.stderr, process.env);
    setInterval(() => {}, 1000);
    endAtInterrupt(terminal);
    terminal.say('ready');`;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr === '') child.kill(signal);
      stderr += text;
    });
    t.is(await new Promise((resolve) => child.on('close', resolve)), 130);
    t.is(stderr, 'ready\ninterrupted: nothing was written\n');
  }
});

test('the second interrupt ends a run that does not stop', async (t) => {
  const { code, stderr } = await interrupted('', folder, ['ready\n', 'stopping;']);
  t.is(code, 130);
  t.regex(stderr, /stop at once\n$/);
});
