/** `mr-minhash view`: serves a result to the browser on this machine until it is interrupted. */
import { spawn } from 'node:child_process';
import { ResultView } from '../../src/view/viewPages.js';
import { serveView } from '../../src/view/viewServer.js';
import { type CommandContext, Faults, reporting } from '../command.js';
import { VIEW_FLAGS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { corpusOf } from '../flags.js';
import { pathFaults } from '../givenFiles.js';
import { listenForInterrupt } from '../interrupt.js';
import type { Terminal } from '../terminal.js';

/** Tests give another view, and another server. */
interface ViewContext extends CommandContext {
  readonly View?: typeof ResultView;
  readonly serve?: typeof serveView;
}

const OWN: readonly string[] = ['127.0.0.1', 'localhost', '::1'];

export const viewCommand = reporting('view', async (folders, flags, context: ViewContext) => {
  const { terminal, View = ResultView, serve = serveView } = context;
  const faults = new Faults(context);
  const folder = faults.folder(folders, flags);
  const { port = 0, host = OWN[0]!, dropList } = faults.values(VIEW_FLAGS, flags);
  // Every page of texts would fail.
  faults.add(await pathFaults(corpusOf(flags).corpus ?? [], '--corpus', 'read'));
  faults.refuse();
  const interrupt = listenForInterrupt(() => undefined);
  let view: ResultView | null = null;
  try {
    view = new View(folder, { ...corpusOf(flags), ...(dropList !== undefined && { dropList }) });
    const served = await serve(view, { port, host });
    if (!OWN.includes(host))
      terminal.say(
        `note: --host ${host}: whoever reaches this machine there and knows the address sees the result and its texts, and can edit the drop list`,
      );
    terminal.print(served.address);
    if (flags.open === true) openBrowser(served.address, terminal);
    await view.prepare((share) => terminal.status(`reading the result: ${Math.floor(100 * share)} %`));
    terminal.status('');
    if (!interrupt.signal.aborted) await ended(interrupt.signal);
    await served.close();
    return EXIT.done;
  } finally {
    await view?.close();
    interrupt.release();
  }
});

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Opens an address with the system's program; where that fails, the user has the printed address. */
function openBrowser(address: string, terminal: Terminal): void {
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.on('error', () =>
    terminal.say(`note: --open: ${program} is not here; open the address in a browser`),
  );
  child.unref();
}
