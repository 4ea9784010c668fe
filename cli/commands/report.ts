/** `mr-minhash report`: a finished result as one page of HTML beside its folder. */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { CorpusOption } from '../../src/coordinator/resultPaths.js';
import { shownValue } from '../../src/options/values.js';
import { AtomicFile } from '../../src/store/files.js';
import { folderFaults, type WordFault } from '../argv.js';
import { EXIT, reportFailure } from '../exit.js';
import { corpusOf, type ParsedFlags } from '../flags.js';
import { bytesText } from '../show/amounts.js';
import type { Terminal } from '../terminal.js';

interface PageMaker {
  /** The page about a result folder. */
  reportHtml(folder: string, options: CorpusOption): Promise<string>;
  /** The paths of the files that the run of a result reads. */
  inputFiles(folder: string, options: CorpusOption): Promise<readonly string[]>;
  /** Why the inputs that a result names are not opened; null: they are. */
  whyUntrusted(folder: string): string | null;
  /** What every page begins with. */
  readonly pageBeginning: string;
}

interface ReportContext {
  readonly terminal: Terminal;
  readonly wordFaults?: readonly WordFault[];
  readonly loadPages: () => Promise<PageMaker>;
}

/** Runs the command and returns the exit code; errors are reported here. */
export async function reportCommand(
  folders: readonly string[],
  flags: ParsedFlags,
  { terminal, wordFaults = [], loadPages }: ReportContext,
): Promise<number> {
  const faults = wordFaults.map(({ detail }) => detail);
  const [folder = ''] = folders;
  faults.push(...folderFaults(folders));
  const file = typeof flags.out === 'string' ? flags.out : usualFile(folder);
  try {
    const pages = await loadPages();
    faults.push(
      ...(folders.length === 1 && file !== STDOUT
        ? await fileFaults(
            file,
            folder,
            flags.force === true,
            () => pages.inputFiles(folder, corpusOf(flags)),
            pages,
          )
        : []),
    );
    if (faults.length > 0) {
      for (const fault of faults) terminal.say(`error: ${fault}`);
      terminal.say(`hint: ${terminal.command} report --help lists every option with its values`);
      return EXIT.use;
    }
    terminal.status('reading the result');
    const page = new TextEncoder().encode(await pages.reportHtml(folder, corpusOf(flags)));
    if (file === STDOUT) {
      await terminal.passOn(page);
      return EXIT.done;
    }
    const written = new AtomicFile(dirname(file), basename(file));
    written.append(page);
    written.finish(0);
    terminal.status('');
    if (flags.quiet === true) return EXIT.done;
    terminal.print(`${file}: ${bytesText(page.length)}, a page for any browser`);
    const why = flags.corpus === undefined ? pages.whyUntrusted(folder) : null;
    if (why !== null) terminal.print(`without texts: ${why}; --corpus PATH says where they are`);
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true, 'report');
  }
}

/** Instead of the name of a file. */
const STDOUT = '-';

/** `result-report.html` beside `result`. */
function usualFile(folder: string): string {
  const plain = folder.replace(/(.)\/+$/, '$1');
  const named = /(^|\/)\.{1,2}$/.test(plain) ? resolve(plain) : plain;
  return `${named}-report.html`;
}

/** What is wrong with the file to write: folders, a place in the result, somebody else's file, an input of the run. */
async function fileFaults(
  file: string,
  folder: string,
  force: boolean,
  inputs: () => Promise<readonly string[]>,
  pages: PageMaker,
): Promise<string[]> {
  const shown = `--out ${shownValue(file)}`;
  if (file === '') return [`${shown}: expected the name of a file`];
  const inside = relative(resolve(folder), resolve(file));
  if (!inside.startsWith(`..${sep}`) && inside !== '..') {
    return [`${shown}: lies in the result, where verify would name it; choose a place beside it`];
  }
  const place = dirname(file);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return [`${shown}: there is no folder ${shownValue(place)}; make it first, or choose another place`];
  }
  if (!existsSync(file)) return [];
  if (statSync(file).isDirectory()) return [`${shown}: a folder, expected the name of a file`];
  if (statSync(file).isFile() && beginsWith(file, pages.pageBeginning)) return [];
  if (force && isAmong(file, await inputs())) {
    return [`${shown}: an input of the run, which would be lost; choose another name`];
  }
  if (force) return [];
  return [`${shown}: the file exists and is no report; choose another name, or replace it with --force`];
}

/** Whether a file that exists is one of these, under any name. */
function isAmong(file: string, paths: Iterable<string>): boolean {
  const own = statSync(file);
  for (const path of paths) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === own.ino && found.dev === own.dev) return true;
  }
  return false;
}

function beginsWith(file: string, beginning: string): boolean {
  const expected = Buffer.from(beginning);
  const found = Buffer.alloc(expected.length);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, found, 0, found.length, 0) === expected.length && found.equals(expected);
  } finally {
    closeSync(descriptor);
  }
}
