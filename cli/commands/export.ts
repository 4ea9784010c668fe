/** `mr-minhash export`: the tables of a result as CSV, JSON lines, Parquet or Arrow. */
import type { ExportOptions, ExportReport } from '../../src/index.js';
import { shownValue } from '../../src/options/values.js';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  RESULT_TABLES,
  type ResultTable,
} from '../../src/output/fileNames.js';
import { folderFaults, type WordFault } from '../argv.js';
import { EXIT, reportFailure } from '../exit.js';
import type { ParsedFlags } from '../flags.js';
import { bytesText, counted } from '../show/amounts.js';
import type { Terminal } from '../terminal.js';

interface Exporter {
  exportResult(folder: string, options: ExportOptions): Promise<ExportReport>;
  exportTable(
    folder: string,
    table: ResultTable,
    format: ExportFormat,
    write: (bytes: Uint8Array) => unknown,
  ): Promise<{ readonly replacedCells: number }>;
}

interface ExportContext {
  readonly terminal: Terminal;
  readonly wordFaults?: readonly WordFault[];
  readonly loadExporter: () => Promise<Exporter>;
}

/** Instead of the name of a folder. */
const STDOUT = '-';

/** Runs the command and returns the exit code; errors are reported here. */
export async function exportCommand(
  folders: readonly string[],
  flags: ParsedFlags,
  { terminal, wordFaults = [], loadExporter }: ExportContext,
): Promise<number> {
  const faults = wordFaults.map(({ detail }) => detail);
  const [folder = ''] = folders;
  const tables = (flags.table ?? []) as readonly ResultTable[];
  faults.push(...folderFaults(folders));
  const choice = (name: string, value: unknown, choices: readonly string[]): void => {
    if (!choices.includes(String(value)))
      faults.push(`${name} ${shownValue(value)}: expected one of ${choices.join(', ')}`);
  };
  if (flags.format === undefined && wordFaults.length === 0)
    faults.push(`no --format was given: expected one of ${EXPORT_FORMATS.join(', ')}`);
  else if (flags.format !== undefined) choice('--format', flags.format, EXPORT_FORMATS);
  for (const table of tables) choice('--table', table, RESULT_TABLES);
  if (flags.out === STDOUT && tables.length !== 1)
    faults.push(`--out -: expected one --table, got ${tables.length}`);
  if (faults.length > 0) {
    for (const fault of faults) terminal.say(`error: ${fault}`);
    terminal.say(`hint: ${terminal.command} export --help lists every option with its values`);
    return EXIT.use;
  }
  const format = flags.format as ExportFormat;
  try {
    const exporter = await loadExporter();
    terminal.status('exporting');
    if (flags.out === STDOUT) {
      // Whether a reader that went away is a failure the terminal says at the end.
      let isRead = true;
      await exporter.exportTable(folder, tables[0]!, format, async (bytes) => {
        if (isRead) isRead = await terminal.passOn(bytes);
      });
      return EXIT.done;
    }
    const report = await exporter.exportResult(folder, {
      format,
      ...(typeof flags.out === 'string' && { out: flags.out }),
      ...(tables.length > 0 && { tables }),
      force: flags.force === true,
    });
    terminal.status('');
    if (flags.quiet !== true) for (const line of exportLines(report)) terminal.print(line);
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true, 'export');
  }
}

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
