/**
 * Messages about a resumed run, and the command that resumes an unfinished one.
 *
 * Only texts, except that it reads the content of an output folder.
 */
import { strangersIn } from '../../src/coordinator/start/noted.js';
import type { Resumption } from '../../src/index.js';
import type { RunOptions } from '../../src/options/runOptions.js';
import { optionWords, resumeWords, typedAgain } from '../../src/options/shellWord.js';
import { outputStateOf, runFolderOf } from '../../src/output/folder.js';
import { replacementIn } from '../../src/output/replacement.js';
import { isNoted } from '../../src/output/runState.js';
import { counted } from '../../src/output/wording/amounts.js';

/** The most damaged stretches that are named; more are counted. */
const MOST_NAMED = 10;

/** What `--resume` found in the folder, as lines for stderr. */
export function resumptionLines(out: string, found: Resumption): string[] {
  switch (found.kind) {
    case 'nothing':
      return [`resume: ${out} holds no unfinished run, so one begins`];
    case 'finished':
      return [
        found.inputsCompared
          ? `resume: ${out} holds the finished result, nothing is left to do; the inputs are as they were`
          : `resume: ${out} holds the finished result of these PATHs, nothing is left to do; whether their files have changed is not known`,
      ];
    case 'over':
      return [
        `resume: the run in ${out} cannot be taken up and starts over: ${found.why}`,
        ...damageLines(found.damage),
      ];
    case 'taken up': {
      const blocks = counted(found.columnBlocks, 'column block');
      return [
        `resume: the run in ${out} goes on; done so far: ${blocks}`,
        ...damageLines(found.damage),
        ...found.cut.map(cutLine),
      ];
    }
  }
}

function cutLine({ path, bytes }: Extract<Resumption, { kind: 'taken up' }>['cut'][number]): string {
  const what = bytes === 0 ? 'is empty' : `ends in an unfinished block of ${counted(bytes, 'byte')}`;
  return `not finished: ${path} ${what}, as after a kill; made anew`;
}

function damageLines(damage: Extract<Resumption, { kind: 'over' }>['damage']): string[] {
  const lines = damage
    .slice(0, MOST_NAMED)
    .map(
      ({ path, offset, expected, found }) =>
        `damaged: ${path}, offset ${offset}: expected ${expected}, found ${found}; made anew`,
    );
  const more = damage.length - lines.length;
  return more > 0 ? [...lines, `damaged: ${counted(more, 'more place')}; made anew`] : lines;
}

/** The options from the note of a run: shown before any of them is used. */
export function noteLine({ file, options }: { readonly file: string; readonly options: RunOptions }): string {
  return `resume: PATHs and flags from ${file}: ${optionWords(options)}`;
}

/**
 * The command that resumes the unfinished run in `out`, ready to paste; null where there is no run to resume.
 *
 * @param command how the user starts the program
 * @param options the options of the run; the command has those that the folder does not record
 */
export function resumeCommand(out: string, command = 'mr-minhash', options: RunOptions = {}): string | null {
  const replacement = replacementIn(out);
  const isUnfinished = replacement === 'unfinished' || outputStateOf(out).kind === 'unfinished';
  if (replacement !== 'whole' && !(isUnfinished && isNoted(runFolderOf(out)))) return null;
  if (strangersIn(out).length === 0) return resumeWords(out, { command, given: typedAgain(options) });
  return options.force === true
    ? 'the same command, with --resume for --force'
    : 'the same command with --resume';
}
