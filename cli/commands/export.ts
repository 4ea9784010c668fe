/** `mr-minhash export`: the tables of a result as CSV, JSON lines, Parquet or Arrow. */
import { EXPORT_FORMATS } from '../../src/options/resultOptions.js';
import { type ExportReport, exportResult, exportTable } from '../../src/output/exportResult.js';
import { bytesText, counted } from '../../src/output/wording/amounts.js';
import { type CommandContext, Faults, reporting } from '../command.js';
import { EXPORT_FLAGS } from '../commandTable.js';
import { EXIT } from '../exit.js';

/** Stands for standard output in place of the name of a folder. */
const STDOUT = '-';

export const exportCommand = reporting('export', async (folders, flags, context: CommandContext) => {
  const { terminal } = context;
  const faults = new Faults(context);
  const folder = faults.folder(folders);
  const { format, out, table: tables = [] } = faults.values(EXPORT_FLAGS, flags);
  if (flags.format === undefined && (context.wordFaults ?? []).length === 0)
    faults.say(`no --format was given: expected one of ${EXPORT_FORMATS.join(', ')}`);
  const asked = new Set([flags.table ?? []].flat()).size;
  if (out === STDOUT && asked !== 1) faults.say(`--out -: expected one --table, got ${asked}`);
  faults.refuse();
  terminal.status('exporting');
  if (out === STDOUT) {
    // `end` of the terminal decides whether a reader that went away is a failure.
    let isRead = true;
    await exportTable(folder, tables[0]!, format!, async (bytes) => {
      if (isRead) isRead = await terminal.passOn(bytes);
    });
    return EXIT.done;
  }
  const report = await exportResult(folder, {
    format: format!,
    ...(out !== undefined && { out }),
    ...(tables.length > 0 && { tables }),
    force: flags.force === true,
  });
  terminal.status('');
  if (flags.quiet !== true) for (const line of exportLines(report)) terminal.print(line);
  return EXIT.done;
});

function exportLines({ out, files, replacedCells }: ExportReport): string[] {
  const lines = files.map(
    ({ file, rows, bytes }) => `${out}/${file}: ${counted(rows, 'row')}, ${bytesText(bytes)}`,
  );
  if (replacedCells === 0) return lines;
  const hold = `${counted(replacedCells, 'cell')} ${replacedCells === 1 ? 'holds' : 'hold'}`;
  return [
    ...lines,
    `note: ${hold} U+FFFD for bytes that are not UTF-8; the columns place have them as \\xNN`,
  ];
}
