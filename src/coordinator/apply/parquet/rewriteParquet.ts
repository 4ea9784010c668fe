/**
 * Writes a Parquet file again without some of its rows, or with columns added: row groups of which all rows stay are copied as
 * they are, and what the footer says that nobody here knows stays.
 *
 *      PAR1 | row group | its Bloom filters | row group | ... | column indexes | offset indexes | metadata | length u32 | PAR1
 */
import { setImmediate } from 'node:timers/promises';
import { MinHashError } from '../../../errors.js';
import { closeInput, openInput, readInto, sizeOf } from '../../../readers/bytes/wholeFiles.js';
import { type Footer, type RowGroup, readFooter } from '../../../readers/formats/parquet/footer.js';
import { ParquetFault } from '../../../readers/formats/parquet/thrift.js';
import { textOf } from '../../../readers/list/pathIds.js';
import type { AddedColumn, KeptRows } from './addedColumns.js';
import { CompactReader, type CompactStruct, compactBytes, RawBytes } from './compactThrift.js';
import { finishMetadata } from './fileMetadata.js';
import { GroupWriter, type Pause, type WrittenGroup } from './groupWriter.js';
import { OutputFile } from './outputFile.js';
import { type SourceFile, writeIndexes } from './pageIndexes.js';

export interface RewriteOptions {
  /** Whether a row of the file stays, counted from 0; asked once for each, in ascending order. */
  keeps(row: number): boolean;
  readonly columns?: readonly AddedColumn[];
  readonly signal?: AbortSignal;
}

export interface Rewritten {
  /** Rows of the file as it was, and of the new one. */
  readonly rows: number;
  readonly written: number;
  /** Of the new file. */
  readonly bytes: number;
}

/** After so many bytes others may run, and an abort is looked for. */
const BREATH = 8 << 20;

const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);
const TAIL = 8;

/** Fields of the metadata of a file. */
const ROW_GROUPS = 4;
const ENCRYPTION = 8;

/**
 * Writes a Parquet file again. The new file has the schema of the old one, its metadata and row groups, those left out that
 * have no row any more; where nothing is left out or added it is a copy. Memory holds a page, a byte a row of a row group, five
 * bytes a value of a dictionary, and the footer.
 *
 * @param from a file, as a binary string
 * @param to is made or overwritten, and not synced; after an error it is of no use
 * @throws MinHashError PARQUET_FOOTER and others of a damaged file or one that is not read, DISK_FULL, WRITE_FAILED;
 * INTERRUPTED by `signal`; OPTION_INVALID where the file has a column of an added name
 */
export async function rewriteParquet(from: string, to: string, options: RewriteOptions): Promise<Rewritten> {
  const descriptor = openInput(from);
  if (typeof descriptor === 'string') throw new MinHashError({ code: descriptor, detail: textOf(from) });
  const rewriting = new Rewriting(descriptor, from, to, options);
  try {
    return await rewriting.run();
  } catch (error) {
    rewriting.abandon();
    if (!(error instanceof ParquetFault)) throw error;
    throw new MinHashError(
      { code: error.code, detail: `${textOf(from)}${rewriting.place}` },
      { cause: error },
    );
  } finally {
    closeInput(descriptor);
  }
}

/** A file with its metadata, of which the row groups are bytes. */
interface OpenFile {
  readonly source: SourceFile;
  readonly footer: Footer;
  readonly metadata: CompactStruct;
  readonly groups: readonly Uint8Array[];
}

/** @throws ParquetFault */
function openFile(descriptor: number): OpenFile {
  const size = sizeOf(descriptor);
  if (typeof size === 'string') throw new ParquetFault(size);
  const footer = readFooter(descriptor, size);
  const bytes = new Uint8Array(size - TAIL - footer.end);
  if (readInto(descriptor, bytes, 0, footer.end) !== bytes.length) throw new ParquetFault('UNREADABLE');
  const metadata = new CompactReader(bytes, 0, ROW_GROUPS).struct();
  // Its columns are not, but a footer that is signed cannot be written again.
  if (metadata.has(ENCRYPTION)) throw new ParquetFault('PARQUET_ENCRYPTED');
  const groups = metadata.list(ROW_GROUPS).values.map((group) => (group as RawBytes).bytes);
  return { source: { descriptor, size }, footer, metadata, groups };
}

class Rewriting {
  private readonly descriptor: number;
  private readonly from: string;
  private readonly to: string;
  private readonly options: RewriteOptions;
  private readonly columns: readonly AddedColumn[];
  private readonly written: WrittenGroup[] = [];
  private output: OutputFile | null = null;
  private writer: GroupWriter | null = null;
  private group = -1;
  private column = '';
  private breathed = 0;

  constructor(descriptor: number, from: string, to: string, options: RewriteOptions) {
    this.descriptor = descriptor;
    this.from = from;
    this.to = to;
    this.options = options;
    this.columns = options.columns ?? [];
  }

  /** Where it stands, for messages, to be put behind a path. */
  get place(): string {
    if (this.group < 0) return '';
    return `, row group ${this.group}${this.column === '' ? '' : `, column ${this.column}`}`;
  }

  async run(): Promise<Rewritten> {
    this.expectNoAbort();
    const file = openFile(this.descriptor);
    const { groups, rows } = file.footer;
    this.expectFreeNames(file.footer);
    let whole = 0;
    let written = 0;
    for (let i = 0; i < groups.length; i++) {
      const kept = this.keptRows(groups[i]!);
      written += kept.kept;
      // As long as nothing is left out, the file may be a copy.
      if (whole === i && kept.kept === groups[i]!.rows && this.columns.length === 0) whole++;
      else {
        if (this.writer === null) for (let k = 0; k < i; k++) await this.writeGroup(file, k, null);
        await this.writeGroup(file, i, kept);
      }
    }
    this.group = -1;
    if (whole === groups.length && this.columns.length === 0) await this.copyFile(file.source);
    else this.finish(file, written);
    this.output!.finish();
    return { rows, written, bytes: this.output!.length };
  }

  private expectNoAbort(): void {
    if (this.options.signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
  }

  abandon(): void {
    this.output?.abandon();
  }

  /** Of two columns of one name readers show one, or none. */
  private expectFreeNames({ root }: Footer): void {
    const taken = this.columns.find(({ name }) => root.children.some((child) => child.name === name));
    if (taken === undefined) return;
    const detail = `--annotate: ${textOf(this.from)} has a column ${taken.name} of its own`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }

  private keptRows({ first, rows }: RowGroup): KeptRows {
    const { options } = this;
    const keeps = new Uint8Array(rows);
    let kept = 0;
    for (let i = 0; i < rows; i++) {
      if (!options.keeps(first + i)) continue;
      keeps[i] = 1;
      kept++;
    }
    return { first, keeps, kept };
  }

  /** @param kept null: all rows, and nothing is added */
  private async writeGroup(file: OpenFile, i: number, kept: KeptRows | null): Promise<void> {
    const group = file.footer.groups[i]!;
    const writer = this.begin(file);
    if (group.rows === 0 || kept?.kept === 0) return;
    this.group = i;
    const tree = new CompactReader(file.groups[i]!).struct();
    this.written.push(await writer.write(group, tree, kept, this.written.length));
  }

  private begin(file: OpenFile): GroupWriter {
    if (this.writer !== null) return this.writer;
    this.output = new OutputFile(this.to);
    this.output.write(MAGIC);
    this.writer = new GroupWriter(file.source, file.footer, this.columns, this.output, this.pause);
    return this.writer;
  }

  private readonly pause: Pause = (column) => {
    this.column = column;
    this.expectNoAbort();
    if (this.output!.length - this.breathed < BREATH) return null;
    this.breathed = this.output!.length;
    return setImmediate();
  };

  private async copyFile({ descriptor, size }: SourceFile): Promise<void> {
    this.output = new OutputFile(this.to);
    for (let at = 0; at < size; at += BREATH) {
      this.output.copy(descriptor, at, Math.min(size, at + BREATH));
      await this.pause('');
    }
  }

  private finish(file: OpenFile, rows: number): void {
    this.begin(file).clearBounds(this.written);
    const output = this.output!;
    writeIndexes(this.written, output);
    const groups = this.written.map(({ bytes }) => new RawBytes(bytes));
    finishMetadata(file.metadata, { rows, groups, columns: this.columns });
    const bytes = compactBytes(file.metadata);
    output.write(bytes);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, bytes.length, true);
    output.write(length);
    output.write(MAGIC);
  }
}
