/** Writes the files of a corpus one after the other, and counts the fates of their documents. */
import { chmodSync, closeSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../../../errors.js';
import { formatNamed, hasRows } from '../../../readers/list/formats.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { guardWrite, writeErrorOf } from '../../../store/files.js';
import { type ApplyHooks, type ApplyReport, refuseInterrupted } from '../applyOptions.js';
import { type ApplyPlan, AS_IT_IS, LEAVE_OUT, WRITE_ANEW } from '../applyPlan.js';
import type { CorpusFolder } from '../corpusFolder.js';
import type { RecordCounts } from '../records/fates.js';
import { copyInput, linkFile, modeOfFile, openedToWrite } from './copyFile.js';
import { ParquetRewriting } from './parquetRewriting.js';
import { type FileNow, inputLost, rewriteFile } from './rewriteFile.js';

type Counts = Pick<ApplyReport, 'files' | 'records' | 'bytes'>;

interface FileDone extends RecordCounts {
  readonly isWritten: boolean;
  readonly bytes: number;
  /** Dropped documents that were found in it. */
  readonly dropped: number;
}

/** Milliseconds between two yields to the event loop, for interrupts and the progress display. */
const TURN = 30;
const MEGABYTE = 1e6;
const NO_RECORDS: RecordCounts = { records: 0, written: 0, leftOut: 0 };

export class FileWriting {
  /** Dropped documents that were found. */
  droppedMet = 0;
  readonly #plan: ApplyPlan;
  readonly #hooks: ApplyHooks;
  #parquet: ParquetRewriting | null = null;
  readonly #files = { read: 0, written: 0, unchanged: 0, left_out: 0 };
  readonly #records = { read: 0, written: 0, left_out: 0 };
  readonly #bytes = { read: 0, written: 0 };
  #stage = '';
  #start = 0;
  #total = 0;
  #bytesDone = 0;
  #turn = 0;
  readonly #singles = { count: 0 };

  constructor(plan: ApplyPlan, hooks: ApplyHooks) {
    this.#plan = plan;
    this.#hooks = hooks;
  }

  get counts(): Counts {
    return { files: this.#files, records: this.#records, bytes: this.#bytes };
  }

  /**
   * Reads all files that will be rewritten and writes nothing. Checks that they contain the dropped documents, and that
   * fields can be added to records.
   *
   * @throws MinHashError INPUT_CHANGED with the first file that does not, APPLY_REFUSED, INTERRUPTED
   */
  async checkAll(): Promise<void> {
    this.#enter('check');
    const singles = { count: 0 };
    for (const [i, file] of this.#plan.inTurn()) {
      if (this.#plan.fateOf(i) === WRITE_ANEW && !hasRows(formatNamed(file.format))) {
        const fates = this.#plan.recordFates(i, singles);
        const before = this.#bytesDone;
        const counts = await rewriteFile(file, fates, null, this.#rewriting(before + file.size));
        this.#bytesDone = before;
        if (this.#metIn(counts, fates.dropped) !== this.#plan.droppedIn(i)) {
          const name = textOf(file.id);
          throw new MinHashError(
            this.#plan.options.dropList === undefined
              ? { code: 'INPUT_CHANGED', detail: `${name}: it does not have the records that were dropped` }
              : {
                  code: 'OPTION_INVALID',
                  detail: `--drop-list: ${name} does not have all of its records`,
                  remedy:
                    'correct their locations (the column place of duplicates.tsv), or remove their lines',
                },
          );
        }
      }
      await this.#passed(file.size);
    }
    this.#tell();
  }

  /** Writes all files. @throws as applyResult */
  async writeAll(target: CorpusFolder): Promise<void> {
    this.#enter('apply');
    try {
      await this.#writeFiles(target);
    } finally {
      this.#parquet?.close();
    }
    this.#tell();
  }

  async #writeFiles(target: CorpusFolder): Promise<void> {
    for (const [i, file] of this.#plan.inTurn()) {
      const before = this.#bytesDone;
      const done = await this.#write(i, file, target);
      this.#bytesDone = before;
      this.#count(i, file, done);
      await this.#passed(file.size);
    }
  }

  async #write(index: number, file: FileNow, target: CorpusFolder): Promise<FileDone> {
    const fate = this.#plan.fateOf(index);
    const dropped = this.#plan.droppedIn(index);
    if (fate === LEAVE_OUT) return { ...NO_RECORDS, isWritten: false, bytes: 0, dropped };
    const to = target.placeOf(file.id);
    const copied = { ...NO_RECORDS, isWritten: true, bytes: Math.max(0, file.size), dropped };
    if (fate === AS_IT_IS && this.#plan.options.link === true) {
      linkFile(file, to);
      return copied;
    }
    refuseInterrupted(this.#hooks);
    if (fate === AS_IT_IS) await copyInput(file, to);
    const done = fate === AS_IT_IS ? copied : await this.#writeAnew(index, file, to, target);
    if (done.isWritten) guardWrite(textOf(file.id), () => giveTimes(file, to));
    return done;
  }

  /** A file without a remaining record is not written, unless --keep-empty is set. */
  async #writeAnew(index: number, file: FileNow, to: string, target: CorpusFolder): Promise<FileDone> {
    const fates = this.#plan.recordFates(index, this.#singles);
    const counts = await this.#rewritten(file, fates, to, target);
    const dropped = this.#metIn(counts, fates.dropped);
    if (dropped !== this.#plan.droppedIn(index))
      throw inputLost(file, `it has ${dropped} of ${this.#plan.droppedIn(index)} dropped records`);
    const { options, mode } = this.#plan;
    const isWritten = counts.written > 0 || options.keepEmpty === true || mode === 'annotated';
    const bytes = isWritten ? statSync(bytesOf(to)).size : 0;
    if (!isWritten) guardWrite(textOf(file.id), () => rmSync(bytesOf(to), { force: true }));
    return { ...counts, isWritten, bytes, dropped };
  }

  async #rewritten(
    file: FileNow,
    fates: ReturnType<ApplyPlan['recordFates']>,
    to: string,
    target: CorpusFolder,
  ): Promise<RecordCounts> {
    if (hasRows(formatNamed(file.format))) {
      this.#parquet ??= new ParquetRewriting(join(target.work, 'parquet'), this.#hooks.signal);
      const counts = await this.#parquet.rewrite(file.path, to, fates);
      chmodSync(bytesOf(to), modeOfFile(file));
      return counts;
    }
    const descriptor = openedToWrite(to, modeOfFile(file));
    try {
      return await rewriteFile(file, fates, descriptor, this.#rewriting(this.#bytesDone + file.size));
    } catch (error) {
      throw writeErrorOf(error, textOf(file.id));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Dropped documents among the records of a file. */
  #metIn({ leftOut, written }: RecordCounts, annotated: number | undefined): number {
    return annotated ?? (this.#plan.mode === 'kept' ? leftOut : written);
  }

  #count(index: number, { size }: FileNow, done: FileDone): void {
    this.#files.read++;
    if (done.isWritten) this.#files.written++;
    else this.#files.left_out++;
    if (this.#plan.fateOf(index) === AS_IT_IS) this.#files.unchanged++;
    this.#records.read += done.records;
    this.#records.written += done.written;
    this.#records.left_out += done.leftOut;
    this.#bytes.read += Math.max(0, size);
    this.#bytes.written += done.bytes;
    this.droppedMet += done.dropped;
  }

  #enter(stage: string): void {
    this.#stage = stage;
    this.#start = this.#turn = performance.now();
    this.#total = this.#plan.bytes;
    this.#bytesDone = 0;
  }

  /** Reports the bytes of a file as they are read, up to `until` at its end. */
  #rewriting(until: number) {
    return {
      params: this.#plan.parameters,
      onBytes: (bytes: number): void => {
        refuseInterrupted(this.#hooks);
        this.#bytesDone = Math.min(until, this.#bytesDone + bytes);
        if (performance.now() - this.#turn > TURN) this.#tell();
      },
    };
  }

  async #passed(bytes: number): Promise<void> {
    this.#bytesDone += Math.max(0, bytes);
    if (performance.now() - this.#turn <= TURN) return;
    this.#tell();
    await new Promise((resolve) => setImmediate(resolve));
    refuseInterrupted(this.#hooks);
  }

  #tell(): void {
    this.#turn = performance.now();
    this.#hooks.onProgress?.({
      stage: this.#stage,
      done: Math.round(this.#bytesDone / MEGABYTE),
      total: Math.round(this.#total / MEGABYTE),
      unit: 'MB',
      bytes: this.#bytesDone,
      elapsedMs: this.#turn - this.#start,
    });
  }
}

/** Sets the times of a file to those of its input, because a later run may use them (--keep newest). */
function giveTimes({ path }: FileNow, to: string): void {
  const stats = statSync(bytesOf(path), { throwIfNoEntry: false });
  if (stats !== undefined) utimesSync(bytesOf(to), stats.atimeMs / 1000, stats.mtimeMs / 1000);
}
