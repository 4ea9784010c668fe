/** The outcome of `apply`, as lines for people. */
import type { ApplyReport } from '../../src/coordinator/apply/applyOptions.js';
import { bytesText, counted, grouped } from '../../src/result/wording/amounts.js';

const WRITTEN: Readonly<Record<ApplyReport['mode'], string>> = {
  kept: 'the corpus without the dropped documents',
  dropped: 'the dropped documents',
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

/** The summary, one string per line. @param isLinked whether unchanged files are links */
export function appliedLines(report: ApplyReport, isLinked = false): string[] {
  const { out, mode, files, records, bytes } = report;
  const fates: readonly (readonly [count: number, text: string])[] = [
    [files.unchanged, isLinked ? 'linked' : 'copied unchanged'],
    [files.written - files.unchanged, 'rewritten'],
    [files.left_out, 'left out'],
  ];
  const counts = fates.flatMap(([count, text]) => (count === 0 ? [] : [`${grouped(count)} ${text}`]));
  const parts = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  const lines = [
    `${out}: ${WRITTEN[mode]}`,
    documentsLine(report),
    `files: wrote ${grouped(files.written)} of ${grouped(files.read)}, ${bytesText(bytes.written)} of ${bytesText(bytes.read)}${parts}`,
  ];
  if (records.read > 0) {
    const read = counted(records.read, 'record');
    lines.push(
      `in rewritten files: wrote ${grouped(records.written)} of ${read}, including those that the run did not compare`,
    );
  }
  return lines;
}
