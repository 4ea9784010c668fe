import test from 'ava';
import fc from 'fast-check';
import { createTerminal, type OutputStream, safeText } from '../../cli/terminal.js';
import { idText } from '../../src/readers/list/pathIds.js';
import { anyText } from '../data/anyText.js';
import { capturedTerminal } from './capturedTerminal.js';

const binary = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

test('safeText escapes everything that acts on a terminal', (t) => {
  t.is(safeText('a\tb\nc\rd'), 'a\\tb\\nc\\rd');
  t.is(safeText('\x1b[31mred\x07\x7f\x9b'), '\\x1b[31mred\\x07\\x7f\\x9b');
  t.is(safeText('a\u202eb\u2028c\u2066d\ud800'), 'a\\u202eb\\u2028c\\u2066d\\ud800');
  t.is(safeText('ä 語 🙂 e\u0301 "\\'), 'ä 語 🙂 e\u0301 "\\');
});

test('idText shows UTF-8 as text and other bytes as escapes, and doubles backslashes', (t) => {
  t.is(idText(binary('über/語🙂.txt')), 'über/語🙂.txt');
  t.is(idText('a\xffb\xc3'), 'a\\xffb\\xc3');
  t.is(idText('\xed\xa0\x80'), '\\xed\\xa0\\x80');
  t.is(idText('\xc0\xaf'), '\\xc0\\xaf');
  t.is(idText('a\\xff'), 'a\\\\xff');
  t.is(idText('\xef\xbb\xbfa'), '\ufeffa');
});

test('idText of any valid text doubles backslashes and nothing else', (t) => {
  fc.assert(
    fc.property(anyText(), (text) => {
      return idText(binary(text)) === text.replaceAll('\\', '\\\\');
    }),
    { seed: 1, numRuns: 300 },
  );
  t.pass();
});

test('no bytes of an id reach the terminal as control characters', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const { terminal, stdout, stderr } = capturedTerminal({ tty: true });
      const id = idText(Buffer.from(bytes).toString('latin1'));
      terminal.print(id);
      terminal.say(id);
      terminal.printJson({ id });
      return !/[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]/.test(stdout() + stderr());
    }),
    { seed: 1, numRuns: 500 },
  );
  t.pass();
});

test('bytes are passed on unchanged, and escaped line by line for a terminal', async (t) => {
  const lines = Buffer.from('a\x1b[31m\u202e\xe9\nb\0\n\n');
  for (const tty of [false, true]) {
    const { terminal, stdout } = capturedTerminal({ tty });
    t.true(await terminal.passOn(lines));
    t.is(stdout(), tty ? 'a\\x1b[31m\\u202e\xe9\nb\\x00\n\n' : lines.toString());
  }
});

test('printJson escapes characters that terminals interpret, and the value is the same', (t) => {
  const { terminal, stdout } = capturedTerminal();
  terminal.printJson({ text: '\x7f\x9b\u202e\n' });
  t.is(stdout(), '{"text":"\\u007f\\u009b\\u202e\\n"}\n');
});

test('styles need a terminal without NO_COLOR and TERM=dumb', (t) => {
  const shown = (tty: boolean, environment: Record<string, string>): string => {
    const { terminal, stdout } = capturedTerminal({ tty, environment });
    terminal.printSpans([
      { text: 'a', style: 'removed' },
      { text: '\x1b', style: 'plain' },
    ]);
    return stdout();
  };
  t.is(shown(true, {}), '\x1b[31ma\x1b[0m\\x1b\n');
  t.is(shown(true, { NO_COLOR: '' }), '\x1b[31ma\x1b[0m\\x1b\n');
  t.is(shown(true, { NO_COLOR: '1' }), 'a\\x1b\n');
  t.is(shown(true, { TERM: 'dumb' }), 'a\\x1b\n');
  t.is(shown(false, {}), 'a\\x1b\n');
});

test('a status line is removed before other output, and only terminals get one', (t) => {
  const live = capturedTerminal({ tty: true });
  live.terminal.status('working');
  live.terminal.say('a word');
  t.is(live.stderr(), 'working\r\x1b[Ka word\n');
  const piped = capturedTerminal();
  piped.terminal.status('working');
  t.is(piped.stderr(), '');
});

test('the width is 80 without a terminal', (t) => {
  t.is(capturedTerminal({ columns: 200 }).terminal.columns, 80);
  t.is(capturedTerminal({ tty: true, columns: 200 }).terminal.columns, 200);
  t.is(capturedTerminal({ tty: true }).terminal.columns, 80);
  t.is(capturedTerminal({ environment: { COLUMNS: '132' } }).terminal.columns, 132);
  t.is(capturedTerminal({ environment: { COLUMNS: 'wide' } }).terminal.columns, 80);
});

/** A stream whose first write fails with a code. */
function failingStream(code: string): { stream: OutputStream; writes: () => number } {
  let writes = 0;
  let listener: (error: Error) => void = () => {};
  const stream: OutputStream = {
    write: (_text, done) => {
      writes++;
      const error = Object.assign(new Error(code), { code });
      listener(error);
      done?.(error);
      return false;
    },
    on: (_event, added) => {
      listener = added;
    },
  };
  return { stream, writes: () => writes };
}

test('a reader that has ended is not a failure, and nothing more is written to it', async (t) => {
  const { stream, writes } = failingStream('EPIPE');
  const terminal = createTerminal(stream, failingStream('EPIPE').stream, {});
  terminal.print('a');
  terminal.print('b');
  t.true(await terminal.end());
  t.is(writes(), 1);
});

test('a standard output that could not be written is reported on stderr once', async (t) => {
  const said: string[] = [];
  const err: OutputStream = {
    write: (text, done) => {
      said.push(String(text));
      done?.();
      return true;
    },
    on: () => undefined,
  };
  const terminal = createTerminal(failingStream('ENOSPC').stream, err, {});
  terminal.print('a');
  terminal.print('b');
  t.false(await terminal.end());
  t.regex(said.join(''), /^error: standard output could not be written \(ENOSPC\)\nhint: .*\n$/);
});

test('output that is lost for another reason is a failure', async (t) => {
  const terminal = createTerminal(failingStream('ENOSPC').stream, failingStream('EPIPE').stream, {});
  terminal.print('a');
  t.false(await terminal.end());
});

test('utf8 follows the first of LC_ALL, LC_CTYPE and LANG that is not empty', (t) => {
  const isUtf8 = (environment: Record<string, string>): boolean =>
    capturedTerminal({ environment }).terminal.utf8;
  t.false(isUtf8({}));
  t.true(isUtf8({ LANG: 'en_US.UTF-8' }));
  t.true(isUtf8({ LANG: 'C', LC_CTYPE: 'C.utf8', LC_ALL: '' }));
  t.false(isUtf8({ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }));
});

test('command is npx mr-minhash if only a project has the package', (t) => {
  const commandOf = (script?: string): string => {
    const { stream } = failingStream('EPIPE');
    return createTerminal(stream, stream, {}, script).command;
  };
  t.is(commandOf('/clone/node_modules/.bin/mr-minhash'), 'npx mr-minhash');
  for (const script of ['/usr/local/bin/mr-minhash', '/clone/dist/cli/main.js', undefined]) {
    t.is(commandOf(script), 'mr-minhash');
  }
});
