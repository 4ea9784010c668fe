/** `mr-minhash view`: a result in the browser, served on this machine until it is interrupted. */
import { spawn } from 'node:child_process';
import { checkValue, shownValue } from '../../src/options/values.js';
import type { ResultView, ViewOptions } from '../../src/view/viewPages.js';
import type { ServedAt, ServedView } from '../../src/view/viewServer.js';
import { folderFaults, type WordFault } from '../argv.js';
import { VIEW_FLAGS } from '../commandTable.js';
import { EXIT, reportFailure } from '../exit.js';
import { corpusOf, numberReader, type ParsedFlags } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import type { Terminal } from '../terminal.js';

interface ViewContext {
  readonly terminal: Terminal;
  readonly wordFaults?: readonly WordFault[];
  readonly loadView: () => Promise<{
    readonly openView: (folder: string, options: ViewOptions) => ResultView;
    readonly serveView: (view: ResultView, at: ServedAt) => Promise<ServedView>;
  }>;
}

const OWN: readonly string[] = ['127.0.0.1', 'localhost', '::1'];

/** Runs the command and returns the exit code; errors are reported here. */
export async function viewCommand(
  folders: readonly string[],
  flags: ParsedFlags,
  { terminal, wordFaults = [], loadView }: ViewContext,
): Promise<number> {
  const faults = wordFaults.map(({ detail }) => detail);
  faults.push(...folderFaults(folders));
  const port = numberReader(VIEW_FLAGS, flags, (detail) => faults.push(detail))('port') ?? 0;
  const host = typeof flags.host === 'string' ? flags.host : OWN[0]!;
  if (!checkValue({ kind: 'name' }, host).ok || host === '')
    faults.push(`--host ${shownValue(host)}: expected a name or address`);
  if (faults.length > 0) {
    for (const fault of faults) terminal.say(`error: ${fault}`);
    terminal.say(`hint: ${terminal.command} view --help lists every option with its values`);
    return EXIT.use;
  }
  const interrupt = listenForInterrupt(() => undefined);
  let view: ResultView | null = null;
  try {
    const { openView, serveView } = await loadView();
    const decisions = typeof flags.decisions === 'string' ? { decisions: flags.decisions } : {};
    view = openView(folders[0]!, { ...corpusOf(flags), ...decisions });
    const served = await serveView(view, { port, host });
    if (!OWN.includes(host))
      terminal.say(
        `note: --host ${host}: whoever reaches this machine there and knows the address sees the result and its texts, and can decide`,
      );
    terminal.print(served.address);
    if (flags.open === true) openBrowser(served.address, terminal);
    await view.prepare((share) => terminal.status(`reading the result: ${Math.floor(100 * share)} %`));
    terminal.status('');
    if (!interrupt.signal.aborted) await ended(interrupt.signal);
    await served.close();
    return EXIT.done;
  } catch (error) {
    terminal.status('');
    return reportFailure(error, terminal, flags.verbose === true, 'view');
  } finally {
    await view?.close();
    interrupt.release();
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The program that opens addresses; where there is none the address is printed anyway. */
function openBrowser(address: string, terminal: Terminal): void {
  const program = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.on('error', () =>
    terminal.say(`note: --open: ${program} is not here; open the address in a browser`),
  );
  child.unref();
}
