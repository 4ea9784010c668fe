/**
 * Runs one Map or Reduce of a stage on records of any engine, and counts them.
 *
 * Facts travel with the records: each task appends a fact of its own and passes on those that it reads, so that the reader of
 * the last job's output has the facts of all jobs. Of several copies of one fact, a Reduce passes on one.
 */
import { createHash, randomUUID } from 'node:crypto';
import { MinHashError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { KINDS, type TaskFact } from './kinds.js';
import {
  type CorpusRow,
  type CorpusSource,
  copyBytes,
  FieldWriter,
  PRESENT,
  type RecordSink,
  type RecordSource,
  type StageSink,
  type StageSource,
  sharesPrefix,
} from './records.js';
import type { StageFacts, StagePlace, StreamStage } from './stage.js';
import type { SealedManifest } from './taskManifest.js';

export type Side = 'map' | 'reduce';

export interface TaskSetting {
  readonly stage: StreamStage;
  readonly side: Side;
  readonly manifest: SealedManifest;
  readonly kernel: Kernel;
  readonly sideFile: StagePlace['side'];
}

/** Records as an engine supplies them. An engine with rows supplies them by `rows`; then its only records are facts. */
export interface TaskRecords extends RecordSource {
  rows?(): Uint8Array | null;
}

/** Takes the output of a task; with `rows`, many rows at once. */
export interface TaskSink extends RecordSink {
  rows?(rows: Uint8Array, width: number): void;
}

export type TaskInput = { readonly records: TaskRecords } | { readonly rows: CorpusSource };

const NO_ROW: CorpusRow = { file: '', start: 0, bytes: new Uint8Array(0) };
const NOTHING = new Uint8Array(0);

class CountedFacts implements StageFacts {
  readonly sums: Record<string, number> = {};
  readonly maxima: Record<string, number> = {};

  add(name: string, count: number): void {
    this.sums[name] = (this.sums[name] ?? 0) + count;
  }

  most(name: string, value: number): void {
    this.maxima[name] = Math.max(this.maxima[name] ?? 0, value);
  }
}

/** A class, because an object literal with a getter has a shape of its own for each task, and what reads it is never fast. */
class TaskPlace implements StagePlace {
  readonly facts = new CountedFacts();
  readonly manifest: SealedManifest;
  readonly side: StagePlace['side'];
  private readonly setting: TaskSetting;

  constructor(setting: TaskSetting) {
    this.manifest = setting.manifest;
    this.side = setting.sideFile;
    this.setting = setting;
  }

  /** A getter, because a kernel may be compiled only when a stage first needs it. */
  get kernel(): Kernel {
    return this.setting.kernel;
  }
}

/** Bytes of rows that are gathered at once from an input of single records. */
const GATHERED = 1 << 16;

/** The input of a stage: its records and rows, without facts and what its Map does not read among them. */
class WithoutFacts implements StageSource, CorpusSource {
  /** Records and rows read, without facts; those that are passed over count. */
  count = 0;
  /** Whether nothing was read, not even a fact. */
  isEmpty = true;
  readonly facts = new Map<string, Uint8Array>();
  private readonly records: TaskRecords | null;
  private readonly corpus: CorpusSource | null;
  private readonly lead: number;
  private readonly width: number;
  private readonly run: string;
  /** By kind, 1: its records are given; null: all are, in a Reduce. */
  private readonly given: Uint8Array | null;
  private gathered: Uint8Array | null = null;
  shared: Uint8Array = NOTHING;
  /** Records of the group may be left; the record that is held is still to be given, by `each`. */
  private isOpen = false;
  private isAhead = false;

  constructor(input: TaskInput, { stage, side, manifest }: TaskSetting) {
    this.records = 'records' in input ? input.records : null;
    this.corpus = 'rows' in input ? input.rows : null;
    this.lead = side === 'reduce' ? stage.prefix : 0;
    this.width = stage.row?.(manifest) ?? 0;
    this.run = manifest.run;
    this.given = side === 'map' ? new Uint8Array(256) : null;
    for (const kind of stage.kinds ?? []) this.given?.fill(1, kind, kind + 1);
  }

  get key(): Uint8Array {
    return this.records?.key ?? NOTHING;
  }

  get value(): Uint8Array {
    return this.records?.value ?? NOTHING;
  }

  get row(): CorpusRow {
    return this.corpus?.row ?? NO_ROW;
  }

  next(): boolean {
    const { records, corpus, lead } = this;
    if (corpus !== null) {
      if (!corpus.next()) return false;
    } else {
      for (;;) {
        if (!records!.next()) return false;
        this.isEmpty = false;
        if (isFact(records!.key, lead)) this.take(records!.key.slice(lead), records!.value);
        else if (this.given === null || this.given[records!.key[0]!] === 1) break;
        else this.count++;
      }
    }
    this.isEmpty = false;
    this.count++;
    return true;
  }

  group(bytes = this.lead): boolean {
    while (this.each());
    if (!this.isAhead && !this.next()) return false;
    if (this.shared.length !== bytes) this.shared = new Uint8Array(bytes);
    copyBytes(this.shared, 0, this.key, 0, bytes);
    this.isAhead = this.isOpen = true;
    return true;
  }

  each(): boolean {
    if (!this.isOpen) return false;
    if (this.isAhead) {
      this.isAhead = false;
      return true;
    }
    this.isOpen = false;
    if (!this.next()) return false;
    this.isOpen = sharesPrefix(this.key, this.shared, this.shared.length);
    this.isAhead = !this.isOpen;
    return this.isOpen;
  }

  rows(): Uint8Array | null {
    const { records, width } = this;
    if (records?.rows === undefined) return this.gather();
    const rows = records.rows();
    if (rows === null) return null;
    this.isEmpty = false;
    this.count += rows.length / width;
    return rows;
  }

  private gather(): Uint8Array | null {
    const { width } = this;
    this.gathered ??= new Uint8Array(GATHERED - (GATHERED % width));
    let end = 0;
    for (; end < this.gathered.length && this.next(); end += width) this.gathered.set(this.key, end);
    return end === 0 ? null : this.gathered.subarray(0, end);
  }

  private take(key: Uint8Array, value: Uint8Array): void {
    const { run, job } = JSON.parse(Buffer.from(value).toString()) as TaskFact;
    if (run !== this.run) {
      const detail = `records of the job ${job} are of run ${run}, and the manifest of run ${this.run}`;
      throw new MinHashError({ code: 'TASK_MANIFEST', detail });
    }
    // A copy: a slice of a Buffer would be a view.
    this.facts.set(Buffer.from(key).toString('hex'), new Uint8Array(value));
  }
}

/** Whether a key is that of a fact: KINDS.fact in the `lead` bytes by which a Reduce groups, then as kind, and 16 bytes. */
export function isFact(key: Uint8Array, lead = 0): boolean {
  if (key.length !== lead + 17) return false;
  for (let i = 0; i <= lead; i++) if (key[i] !== KINDS.fact) return false;
  return true;
}

class CountedSink implements StageSink {
  count = 0;
  readonly key = new FieldWriter();
  readonly value = new FieldWriter();
  private readonly out: TaskSink;
  private readonly width: number;

  constructor(out: TaskSink, width: number) {
    this.out = out;
    this.width = width;
  }

  rows(rows: Uint8Array): void {
    const { out, width } = this;
    this.count += rows.length / width;
    if (out.rows !== undefined) out.rows(rows, width);
    else for (let at = 0; at < rows.length; at += width) out.put(rows.subarray(at, at + width), PRESENT);
  }

  write(value = this.value.size === 0 ? PRESENT : this.value.view): void {
    this.put(this.key.view, value);
    this.key.reset();
    this.value.reset();
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.count++;
    this.out.put(key, value);
  }
}

/**
 * Runs the task to its end. A task without input writes nothing, because engines throw such output away.
 *
 * @throws MinHashError TASK_MANIFEST where records are of another run; whatever input, output and stage throw
 */
export function runTask(input: TaskInput, out: TaskSink, setting: TaskSetting): TaskFact {
  const { stage, side, manifest } = setting;
  const place = new TaskPlace(setting);
  const { facts } = place;
  const source = new WithoutFacts(input, setting);
  const sink = new CountedSink(out, stage.row?.(manifest) ?? 0);
  if (side === 'map') stage.map(source, sink, place);
  else stage.reduce!(source, sink, place);
  if (source.next()) throw new Error(`${manifest.job} ${side}: the stage left records: our own defect`);
  const fact: TaskFact = {
    ...{ run: manifest.run, job: manifest.job, side, in: source.count, out: sink.count },
    ...{ sums: facts.sums, most: facts.maxima },
  };
  if (source.isEmpty) return fact;
  const before = Buffer.alloc(side === 'map' && stage.reduce !== null ? stage.prefix : 0, KINDS.fact);
  const own = createHash('sha256').update(randomUUID()).digest().subarray(0, 16);
  for (const [key, value] of source.facts) out.put(Buffer.concat([before, Buffer.from(key, 'hex')]), value);
  out.put(Buffer.concat([before, Buffer.of(KINDS.fact), own]), Buffer.from(JSON.stringify(fact)));
  return fact;
}
