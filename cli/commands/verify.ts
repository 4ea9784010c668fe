/**
 * `mr-minhash verify`: checks whether a finished result is still the one that its manifest describes.
 *
 * The library checks; this file has the texts and the exit code.
 */
import { faultText, type Verification, verifyResult } from '../../src/result/verifyResult.js';
import { bytesText, counted } from '../../src/result/wording/amounts.js';
import { type CommandContext, Faults, reporting } from '../command.js';
import { EXIT } from '../exit.js';
import { createProgressDisplay } from '../show/progress.js';

interface VerifyContext extends CommandContext {
  /** Tests give another one. */
  readonly verify?: typeof verifyResult;
}

/** Exit code 0 where the result is sound, 1 where it is not, 2 where there is none. */
export const verifyCommand = reporting('verify', async (folders, flags, context: VerifyContext) => {
  const { terminal, verify = verifyResult } = context;
  const faults = new Faults(context);
  const folder = faults.folder(folders);
  faults.refuse();
  // Without a terminal progress would be one line per stage, which says no more than the answer.
  const display = createProgressDisplay(terminal, terminal.statusColumns === null);
  const start = performance.now();
  try {
    const found = await verify(folder, {
      onProgress: (done, total) => {
        const elapsedMs = performance.now() - start;
        display.update({ stage: 'verify', done, total, unit: 'bytes', bytes: done, elapsedMs });
      },
    });
    display.end();
    if (flags.json === true) terminal.printJson(found);
    else for (const line of verificationLines(found)) terminal.print(line);
    return found.sound ? EXIT.done : EXIT.failed;
  } finally {
    display.end();
  }
});

/** The lines about every fault and the whole result. */
function verificationLines(found: Verification): string[] {
  const read = `${counted(found.files, 'file')}, ${counted(found.rows, 'row')}, ${bytesText(found.bytes)}`;
  if (found.sound) {
    const rule = found.rule === null ? [] : [`near pairs: ${found.rule}`];
    return [`sound: ${read}, all as ${found.folder}/manifest.json says`, ...rule];
  }
  const lines = found.faults.map((fault) => faultText(fault));
  if (found.faults.every(({ kind }) => kind === 'unknown')) {
    const others = counted(lines.length, 'file that is', 'files that are');
    return [
      ...lines,
      `the result is whole: ${read}; but there ${verbOf(lines.length)} ${others} not part of it`,
    ];
  }
  // Every manifest of this version names files.
  if (found.files === 0) {
    const why = 'another version or build wrote the result, or its manifest is damaged';
    return [...lines, `no file was checked: ${why}; run with --force makes it anew`];
  }
  return [...lines, `damaged: ${counted(lines.length, 'fault')} in ${read}`];
}

const verbOf = (count: number): string => (count === 1 ? 'is' : 'are');
