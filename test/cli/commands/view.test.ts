/** `mr-minhash view`: problems of its command line, and how it ends. */
import test from 'ava';
import { viewCommand } from '../../../cli/commands/view.js';
import { ResultView } from '../../../src/view/viewPages.js';
import { resultIn, VIEWED } from '../../view/viewedResult.js';
import { capturedTerminal } from '../capturedTerminal.js';
import { programHere } from '../programHere.js';

test.serial(
  'all problems of its command line are reported at once, and a folder without a result',
  async (t) => {
    const wrong = await programHere(VIEWED, ['view', 'a', 'b', '--port', '0', '--host', '']);
    t.is(wrong.code, 2);
    t.is(wrong.stderr.match(/^error: /gm)?.length, 5, wrong.stderr);
    const none = await programHere(VIEWED, ['view', 'nowhere']);
    t.regex(none.stderr, /^error: the folder holds no finished result/);
  },
);

/** Interrupted once it is ready. */
class Interrupted extends ResultView {
  override async prepare(): Promise<void> {
    process.emit('SIGINT');
  }
}

test.serial('it prints its address, ends on an interrupt with 0, and warns about another host', async (t) => {
  const out = await resultIn('shown');
  let closed = 0;
  const told: { readonly host: string; readonly port: number }[] = [];
  const start = async (flags: Record<string, string>) => {
    const { terminal, stdout, stderr } = capturedTerminal();
    const code = await viewCommand([out], flags, {
      terminal,
      View: Interrupted,
      serve: async (_, at) => {
        told.push(at);
        return { address: 'http://here/', close: async () => void closed++ };
      },
    });
    return { code, stdout: stdout(), stderr: stderr() };
  };
  const plain = await start({});
  t.is(plain.code, 0);
  t.is(plain.stdout, 'http://here/\n');
  t.notRegex(plain.stderr, /--host/);
  const open = await start({ host: '0.0.0.0', port: '8080' });
  t.regex(
    open.stderr,
    /note: --host 0\.0\.0\.0: anyone who can reach this machine and knows the address sees the result/,
  );
  t.deepEqual(told, [
    { host: '127.0.0.1', port: 0 },
    { host: '0.0.0.0', port: 8080 },
  ]);
  t.is(closed, 2);
});
