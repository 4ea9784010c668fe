/** Shows progress on stderr: one rewritten line on a terminal, otherwise one line per stage when the stage ends. */

import type { Progress } from '../../src/index.js';
import { bytesText, durationText, grouped } from '../../src/result/wording/amounts.js';
import type { Terminal } from '../terminal.js';
import { cutToWidth } from './width.js';

export interface ProgressDisplay {
  update(progress: Progress): void;
  /** Removes the line, or reports how the last stage ended. */
  end(): void;
}

/** Least time between two lines: at most ten lines a second. */
const LEAST_MILLISECONDS = 100;

export function createProgressDisplay(terminal: Terminal, quiet: boolean): ProgressDisplay {
  if (quiet) return { update: () => {}, end: () => {} };
  return terminal.statusColumns === null
    ? stageLines(terminal)
    : rewrittenLine(terminal, terminal.statusColumns);
}

function rewrittenLine(terminal: Terminal, columns: number): ProgressDisplay {
  let stage = '';
  let shownAt = 0;
  return {
    update: (progress) => {
      const due = progress.stage !== stage || progress.elapsedMs - shownAt >= LEAST_MILLISECONDS;
      if (!due) return;
      stage = progress.stage;
      shownAt = progress.elapsedMs;
      // The last column stays empty, because many terminals wrap when it is filled.
      terminal.status(cutToWidth(progressText(progress), columns - 1));
    },
    end: () => terminal.status(''),
  };
}

function stageLines(terminal: Terminal): ProgressDisplay {
  let last: Progress | null = null;
  const tell = (): void => {
    if (last !== null) terminal.say(stageText(last));
    last = null;
  };
  return {
    update: (progress) => {
      if (last !== null && last.stage !== progress.stage) tell();
      last = progress;
    },
    end: tell,
  };
}

/** `signatures 1,200/5,000 documents, 41 MB/s, 12 s left`. */
export function progressText(progress: Progress): string {
  const { stage, done, total, unit } = progress;
  const amount = `${grouped(done)}${total === null ? '' : `/${grouped(total)}`}`;
  const parts = [`${stage} ${amount} ${unitOf(total ?? done, unit)}`];
  const rate = rateText(progress);
  if (rate !== null) parts.push(rate);
  if (total !== null && done > 0 && done < total) {
    parts.push(`${durationText((progress.elapsedMs * (total - done)) / done)} left`);
  }
  return parts.join(', ');
}

/** `signatures: 5,000 documents in 2 min 01 s, 41 MB/s`; with the total if the stage ended early. */
export function stageText(progress: Progress): string {
  const { stage, done, total, unit } = progress;
  const short = total !== null && total !== done;
  const amount = `${grouped(done)}${short ? ` of ${grouped(total)}` : ''}`;
  const rate = rateText(progress);
  const text = `${stage}: ${amount} ${unitOf(total ?? done, unit)} in ${durationText(progress.elapsedMs)}`;
  return rate === null ? text : `${text}, ${rate}`;
}

/** The word for a unit, which is passed in the plural. */
function unitOf(count: number, unit: string): string {
  return count === 1 ? unit.replace(/(?<=ch)es$|s$/, '') : unit;
}

function rateText(progress: Progress): string | null {
  if (progress.bytes <= 0 || progress.elapsedMs <= 0) return null;
  return `${bytesText((progress.bytes * 1000) / progress.elapsedMs)}/s`;
}
