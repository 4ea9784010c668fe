/**
 * Runs one Map or Reduce of a stage, wherever its records come from and go to, and counts.
 *
 * Facts travel with the records: each task adds one of its own at the end, and hands on those that it is given, so that the
 * facts of all jobs arrive where the last one is read. Of one fact in several copies a Reduce hands on one.
 */
import { createHash, randomUUID } from 'node:crypto';
import { MinHashError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { KINDS, type TaskFact } from './kinds.js';
import type { CorpusRow, CorpusSource, RecordSink, RecordSource } from './records.js';
import type { StageFacts, StagePlace, StreamStage } from './stage.js';
import type { SealedManifest } from './taskManifest.js';

export type Side = 'map' | 'reduce';

export interface TaskSetting {
  readonly stage: StreamStage;
  readonly side: Side;
  readonly manifest: SealedManifest;
  readonly kernel: Kernel;
  /** The bytes of a side file. */
  readonly sideFile: StagePlace['side'];
}

const NO_ROW: CorpusRow = { file: '', start: 0, bytes: new Uint8Array(0) };
const NOTHING = new Uint8Array(0);

/** What a task counts. */
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

/** Records and rows without the facts among them. */
class WithoutFacts implements RecordSource, CorpusSource {
  /** Read, facts left out. */
  count = 0;
  /** Something was read, if it be a fact. */
  isEmpty = true;
  readonly facts = new Map<string, Uint8Array>();
  private readonly records: RecordSource | null;
  private readonly rows: CorpusSource | null;
  private readonly lead: number;
  private readonly run: string;

  constructor(
    input: { readonly records: RecordSource } | { readonly rows: CorpusSource },
    lead: number,
    run: string,
  ) {
    this.records = 'records' in input ? input.records : null;
    this.rows = 'rows' in input ? input.rows : null;
    this.lead = lead;
    this.run = run;
  }

  get key(): Uint8Array {
    return this.records?.key ?? NOTHING;
  }

  get value(): Uint8Array {
    return this.records?.value ?? NOTHING;
  }

  get row(): CorpusRow {
    return this.rows?.row ?? NO_ROW;
  }

  next(): boolean {
    const { records, rows, lead } = this;
    if (rows !== null) {
      if (!rows.next()) return false;
    } else {
      for (;;) {
        if (!records!.next()) return false;
        this.isEmpty = false;
        if (!isFact(records!.key, lead)) break;
        this.take(records!.key.slice(lead), records!.value);
      }
    }
    this.isEmpty = false;
    this.count++;
    return true;
  }

  private take(key: Uint8Array, value: Uint8Array): void {
    const { run, job } = JSON.parse(Buffer.from(value).toString()) as TaskFact;
    if (run !== this.run) {
      const detail = `records of the job ${job} are of run ${run}, and the manifest of run ${this.run}`;
      throw new MinHashError({ code: 'TASK_MANIFEST', detail });
    }
    // A slice of a Buffer is a view.
    this.facts.set(Buffer.from(key).toString('hex'), new Uint8Array(value));
  }
}

/** Whether a key is that of a fact, behind so many bytes by which records are brought together. */
function isFact(key: Uint8Array, lead: number): boolean {
  if (key.length !== lead + 17) return false;
  for (let i = 0; i <= lead; i++) if (key[i] !== KINDS.fact) return false;
  return true;
}

class CountedSink implements RecordSink {
  count = 0;
  private readonly out: RecordSink;

  constructor(out: RecordSink) {
    this.out = out;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.count++;
    this.out.put(key, value);
  }
}

/**
 * Runs the task to its end. A task that is given nothing writes nothing, because engines throw that away.
 *
 * @throws MinHashError TASK_MANIFEST where records are of another run; what input, output and stage throw
 */
export function runTask(
  input: { readonly records: RecordSource } | { readonly rows: CorpusSource },
  out: RecordSink,
  setting: TaskSetting,
): TaskFact {
  const { stage, side, manifest, sideFile } = setting;
  const facts = new CountedFacts();
  const place: StagePlace = {
    ...{ manifest, facts, side: sideFile },
    // When a stage asks for it: it may be made then.
    get kernel() {
      return setting.kernel;
    },
  };
  const source = new WithoutFacts(input, side === 'reduce' ? stage.prefix : 0, manifest.run);
  const sink = new CountedSink(out);
  if (side === 'map') stage.map(source, sink, place);
  else stage.reduce!(source, sink, place);
  if (source.next()) throw new Error(`${manifest.job} ${side}: the stage left records: our own defect`);
  const fact: TaskFact = {
    ...{ run: manifest.run, job: manifest.job, side, in: source.count, out: sink.count },
    ...{ sums: facts.sums, most: facts.maxima },
  };
  if (source.isEmpty) return fact;
  const lead = Buffer.alloc(side === 'map' && stage.reduce !== null ? stage.prefix : 0, KINDS.fact);
  const own = createHash('sha256').update(randomUUID()).digest().subarray(0, 16);
  for (const [key, value] of source.facts) out.put(Buffer.concat([lead, Buffer.from(key, 'hex')]), value);
  out.put(Buffer.concat([lead, Buffer.of(KINDS.fact), own]), Buffer.from(JSON.stringify(fact)));
  return fact;
}
