/** `mr-minhash view`: serves a result to the browser on this machine until it is interrupted, or saves one page about it. */
import { whyUntrusted } from '../../src/coordinator/resultPaths.js';
import { shownValue } from '../../src/options/values.js';
import { liesInResult } from '../../src/result/fileNames.js';
import { reportHtml } from '../../src/view/reportPage.js';
import { ResultView } from '../../src/view/viewPages.js';
import { serveView } from '../../src/view/viewServer.js';
import { pathProblems } from '../argumentFiles.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { VIEW_FLAGS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { corpusOf, type ParsedFlags } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { openBrowser, pageFileProblem, writePage } from '../savedPage.js';
import type { Terminal } from '../terminal.js';

/** Tests replace the view and the server. */
interface ViewContext extends CommandContext {
  readonly View?: typeof ResultView;
  readonly serve?: typeof serveView;
}

const OWN: readonly string[] = ['127.0.0.1', 'localhost', '::1'];

export const viewCommand = reporting('view', async (folders, flags, context: ViewContext) => {
  const { terminal, View = ResultView, serve = serveView } = context;
  const problems = new Problems(context);
  const folder = problems.folder(folders, flags);
  const { port = 0, host = OWN[0]!, dropList, save } = problems.values(VIEW_FLAGS, flags);
  // Otherwise every page with texts would fail.
  problems.add(await pathProblems(corpusOf(flags).corpus ?? [], '--corpus', 'read'));
  if (save !== undefined && save !== STDOUT && folders.length === 1) {
    const problem = saveProblem(save, folder);
    if (problem !== null) problems.say(`--save ${shownValue(save)}: ${problem}`);
  }
  problems.refuse();
  if (save !== undefined) return await savePage(folder, save, flags, terminal);
  const interrupt = listenForInterrupt(() => undefined);
  let view: ResultView | null = null;
  try {
    view = new View(folder, { ...corpusOf(flags), ...(dropList !== undefined && { dropList }) });
    const served = await serve(view, { port, host });
    if (!OWN.includes(host))
      terminal.say(
        `note: --host ${host}: anyone who can reach this machine and knows the address sees the result and its texts, and can edit the drop list`,
      );
    terminal.print(served.address);
    if (flags.open === true) openBrowser(served.address, terminal);
    const isEnded = ended(interrupt.signal);
    const show = (share: number): void => terminal.status(`reading the result: ${Math.floor(100 * share)} %`);
    await Promise.race([view.prepare(show), isEnded]);
    terminal.status('');
    await isEnded;
    await served.close();
    return EXIT.done;
  } finally {
    await view?.close();
    interrupt.release();
  }
});

/** The file name that means standard output. */
const STDOUT = '-';

async function savePage(
  folder: string,
  file: string,
  flags: ParsedFlags,
  terminal: Terminal,
): Promise<number> {
  terminal.status('reading the result');
  const page = new TextEncoder().encode(await reportHtml(folder, corpusOf(flags)));
  if (file === STDOUT) {
    await terminal.passOn(page);
    return EXIT.done;
  }
  terminal.status('');
  terminal.print(writePage(file, page));
  const why = flags.corpus === undefined ? whyUntrusted(folder) : null;
  if (why !== null) terminal.print(`without texts: ${why}; use --corpus PATH to find them`);
  return EXIT.done;
}

/** Why a page cannot be saved to a file, or null. Only an earlier page is replaced. */
function saveProblem(file: string, folder: string): string | null {
  if (liesInResult(folder, file))
    return 'is inside the result, where verify would report it; choose a location outside';
  return pageFileProblem(file);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
