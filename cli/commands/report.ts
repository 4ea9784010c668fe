/** `mr-minhash report`: writes a finished result as one page of HTML beside its folder. */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { askedResult } from '../../src/analysis/inspect.js';
import { inputFiles } from '../../src/analysis/result/pairTexts.js';
import { whyUntrusted } from '../../src/coordinator/resultPaths.js';
import { shownValue } from '../../src/options/values.js';
import { besideResult, liesInResult } from '../../src/output/fileNames.js';
import { bytesText } from '../../src/output/wording/amounts.js';
import { writeFileAtomic } from '../../src/store/files.js';
import { PAGE_BEGINNING } from '../../src/view/htmlPage.js';
import { reportHtml } from '../../src/view/reportPage.js';
import { type CommandContext, Faults, reporting } from '../command.js';
import { EXIT } from '../exit.js';
import { corpusOf } from '../flags.js';

export const reportCommand = reporting('report', async (folders, flags, context: CommandContext) => {
  const { terminal } = context;
  const faults = new Faults(context);
  const folder = faults.folder(folders, flags);
  const file = typeof flags.out === 'string' ? flags.out : besideResult(folder, 'report.html');
  if (folders.length === 1 && file !== STDOUT) {
    const inputs = () => inputFiles(askedResult(folder, corpusOf(flags)));
    const problem = await problemOf(file, folder, flags.force === true, inputs);
    if (problem !== null) faults.say(`--out ${shownValue(file)}: ${problem}`);
  }
  faults.refuse();
  terminal.status('reading the result');
  const page = new TextEncoder().encode(await reportHtml(folder, corpusOf(flags)));
  if (file === STDOUT) {
    await terminal.passOn(page);
    return EXIT.done;
  }
  writeFileAtomic(dirname(file), basename(file), [page]);
  terminal.status('');
  if (flags.quiet === true) return EXIT.done;
  terminal.print(`${file}: ${bytesText(page.length)}, a page for any browser`);
  const why = flags.corpus === undefined ? whyUntrusted(folder) : null;
  if (why !== null) terminal.print(`without texts: ${why}; --corpus PATH says where they are`);
  return EXIT.done;
});

/** Stands for standard output in place of the name of a file. */
const STDOUT = '-';

/**
 * Why the page cannot be written to a file: it is a folder, lies in the result, is somebody else's, or an input of the run; null:
 * it can.
 */
async function problemOf(
  file: string,
  folder: string,
  force: boolean,
  inputs: () => Promise<readonly string[]>,
): Promise<string | null> {
  if (file === '') return 'expected the name of a file';
  if (liesInResult(folder, file))
    return 'lies in the result, where verify would name it; choose a place beside it';
  const place = dirname(file);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true)
    return `there is no folder ${shownValue(place)}; make it first, or choose another place`;
  if (!existsSync(file)) return null;
  if (statSync(file).isDirectory()) return 'a folder, expected the name of a file';
  if (statSync(file).isFile() && beginsWith(file, PAGE_BEGINNING)) return null;
  if (!force) return 'the file exists and is no report; choose another name, or replace it with --force';
  return isAmong(file, await inputs())
    ? 'an input of the run, which would be lost; choose another name'
    : null;
}

/** Whether an existing file is one of the files at `paths`, under any name. */
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
