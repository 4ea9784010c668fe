/** The outcome of `apply`, as lines for people. */
import type { ApplyReport } from '../../src/coordinator/apply/applyOptions.js';
import { bytesText, counted, grouped } from '../../src/result/wording/amounts.js';

const WRITTEN: Readonly<Record<ApplyReport['mode'], string>> = {
  kept: 'the corpus without what was dropped',
  dropped: 'what was dropped',
  annotated: 'the corpus with fields added',
};

/** The line about the documents of the run in the written corpus. */
function documentsLine({ mode, unit, documents }: ApplyReport): string {
  const { read, kept, dropped } = documents;
  const of = `of ${grouped(read)}`;
  if (mode === 'dropped')
    return `${unit}s: wrote the ${grouped(dropped)} dropped ${of}, not the ${grouped(kept)} kept`;
  if (mode === 'annotated')
    return `${unit}s: wrote all ${grouped(read)}, ${grouped(kept)} of them kept and ${grouped(dropped)} dropped`;
  return `${unit}s: kept ${grouped(kept)} ${of}, dropped ${grouped(dropped)}`;
}

/** The summary, one string per line. */
export function appliedLines(report: ApplyReport): string[] {
  const { out, mode, files, records, bytes } = report;
  const lines = [
    `${out}: ${WRITTEN[mode]}`,
    documentsLine(report),
    `files: wrote ${grouped(files.written)} of ${grouped(files.read)}, ${bytesText(bytes.written)} of ${bytesText(bytes.read)}; ` +
      `${grouped(files.unchanged)} copied as they were, ${grouped(files.left_out)} left out`,
  ];
  if (records.read > 0) {
    const read = counted(records.read, 'record');
    lines.push(
      `in rewritten files: wrote ${grouped(records.written)} of ${read} and lines, including those that the run did not compare`,
    );
  }
  return lines;
}
