/**
 * `mr-minhash verify`: checks a finished result against its manifest.
 *
 * The library checks; this file has the messages and the exit code.
 */
import { problemText, type Verification, verifyResult } from '../../src/result/verifyResult.js';
import { bytesText, counted } from '../../src/result/wording/amounts.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { EXIT } from '../exit.js';
import { createProgressDisplay } from '../show/progress.js';

interface VerifyContext extends CommandContext {
  /** Tests replace it. */
  readonly verify?: typeof verifyResult;
}

/** Exit code 0 if the result is valid, 1 if it is damaged, 2 if there is no result. */
export const verifyCommand = reporting('verify', async (folders, flags, context: VerifyContext) => {
  const { terminal, verify = verifyResult } = context;
  const problems = new Problems(context);
  const folder = problems.folder(folders);
  problems.refuse();
  // Without a terminal, progress would be one line per stage, which adds nothing to the answer.
  const display = createProgressDisplay(terminal, terminal.statusColumns === null);
  const start = performance.now();
  try {
    const verification = await verify(folder, {
      onProgress: (done, total) => {
        const elapsedMs = performance.now() - start;
        display.update({ stage: 'verify', done, total, unit: 'bytes', bytes: done, elapsedMs });
      },
    });
    display.end();
    if (flags.json === true) terminal.printJson(verification);
    else for (const line of verificationLines(verification)) terminal.print(line);
    return verification.valid ? EXIT.done : EXIT.failed;
  } finally {
    display.end();
  }
});

/** The lines about every problem, and about the whole result. */
function verificationLines(verification: Verification): string[] {
  const read = `${counted(verification.files, 'file')}, ${counted(verification.rows, 'row')}, ${bytesText(verification.bytes)}`;
  if (verification.valid) {
    const rule = verification.rule === null ? [] : [`near pairs: ${verification.rule}`];
    return [`valid: ${read}, all match ${verification.folder}/manifest.json`, ...rule];
  }
  const lines = verification.problems.map((problem) => problemText(problem));
  if (verification.problems.every(({ kind }) => kind === 'unknown')) {
    const others = counted(lines.length, 'file that is', 'files that are');
    return [
      ...lines,
      `the result is complete: ${read}; but there ${verbOf(lines.length)} ${others} not part of it`,
    ];
  }
  // Every manifest of this version lists files.
  if (verification.files === 0) {
    const why = 'another version or build wrote the result, or its manifest is damaged';
    return [...lines, `no file was checked: ${why}; run with --force rebuilds it`];
  }
  return [...lines, `damaged: ${counted(lines.length, 'problem')} in ${read}`];
}

const verbOf = (count: number): string => (count === 1 ? 'is' : 'are');
