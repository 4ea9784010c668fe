/** What `apply` did, in words. */
import type { ApplyReport } from '../../src/coordinator/apply/applyOptions.js';
import { bytesText, counted, grouped } from './amounts.js';

const WRITTEN: Readonly<Record<ApplyReport['mode'], string>> = {
  kept: 'the corpus without what was dropped',
  dropped: 'what was dropped',
  annotated: 'the corpus with fields added',
};

/** The summary, a line each. */
export function appliedLines({ out, mode, unit, documents, files, records, bytes }: ApplyReport): string[] {
  const lines = [
    `${out}: ${WRITTEN[mode]}`,
    `${unit}s: kept ${grouped(documents.kept)} of ${grouped(documents.read)}, dropped ${grouped(documents.dropped)}`,
    `files: wrote ${grouped(files.written)} of ${grouped(files.read)}, ${bytesText(bytes.written)} of ${bytesText(bytes.read)}; ` +
      `${grouped(files.unchanged)} as they were, ${grouped(files.left_out)} left out`,
  ];
  if (records.read > 0) {
    lines.push(
      `records of files written anew: wrote ${grouped(records.written)} of ${counted(records.read, 'record')}`,
    );
  }
  return lines;
}
