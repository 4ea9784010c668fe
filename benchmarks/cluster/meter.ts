/**
 * What tasks on an engine that sorts cost: records, bytes and processor time, stage by stage.
 *
 * A task is given its records in the form of Hadoop Streaming, and gives its own so: what it costs to read and write that form is
 * in its time. What it costs to start a process, and to move bytes to it and from it, is not.
 */
import type { ReadPiece, WritePiece } from '../../src/tasks/process/descriptors.js';
import { InputWindow, OutputWindow } from '../../src/tasks/process/descriptors.js';
import { RawBytesSink, RawBytesSource } from '../../src/tasks/process/rawBytes.js';
import type { RecordSink, RecordSource } from '../../src/tasks/stream/records.js';
import { runTask, type Side } from '../../src/tasks/stream/runTask.js';
import { STAGES, type StageName } from '../../src/tasks/stream/stages.js';

/** Of all tasks of a side: what they gave, and what they took. */
export interface SideCost {
  tasks: number;
  records: number;
  /** In the form of Hadoop Streaming, not packed; so is `taken`. */
  bytes: number;
  /** Of the records that they were given; of rows of the corpus nothing. */
  taken: number;
  /** Of the processor. */
  seconds: number;
}

export interface StageCost {
  readonly stage: StageName;
  readonly jobs: Set<string>;
  readonly map: SideCost;
  readonly reduce: SideCost;
}

/** Bytes that were written, to be read again. */
class Pipe {
  bytes = 0;
  private readonly pieces: Uint8Array[] = [];
  private first = 0;
  private taken = 0;

  readonly write: WritePiece = (from, at, length) => {
    this.pieces.push(from.slice(at, at + length));
    this.bytes += length;
  };

  readonly read: ReadPiece = (into, at, length) => {
    const piece = this.pieces[this.first];
    if (piece === undefined) return 0;
    const some = piece.subarray(this.taken, this.taken + length);
    into.set(some, at);
    this.taken += some.length;
    if (this.taken === piece.length) {
      this.first++;
      this.taken = 0;
    }
    return some.length;
  };
}

const LENGTHS = 8;
const nameOf = new Map<unknown, StageName>(
  Object.entries(STAGES).map(([name, stage]) => [stage, name as StageName]),
);

/** The records of a source, written. */
function written(records: RecordSource): Pipe {
  const pipe = new Pipe();
  const sink = new RawBytesSink(new OutputWindow(pipe.write));
  while (records.next()) sink.put(records.key, records.value);
  sink.finish();
  return pipe;
}

/** Runs tasks, and adds up what they cost. */
export class Meter {
  readonly stages = new Map<StageName, StageCost>();
  /** What tasks say of themselves, which they do at their end. */
  facts = { records: 0, bytes: 0 };

  /** In the place of runTask. */
  readonly runs: typeof runTask = (input, out, setting) => {
    const given = 'rows' in input ? null : written(input.records);
    const from = given === null ? input : { records: new RawBytesSource(new InputWindow(given.read)) };
    const pipe = new Pipe();
    const sink = new RawBytesSink(new OutputWindow(pipe.write));
    const before = process.cpuUsage();
    const fact = runTask(from, sink, setting);
    sink.finish();
    const { user, system } = process.cpuUsage(before);
    const cost = this.costOf(nameOf.get(setting.stage)!, setting.manifest.job, setting.side);
    cost.tasks++;
    cost.taken += given?.bytes ?? 0;
    cost.seconds += (user + system) / 1e6;
    cost.records += fact.out;
    cost.bytes += this.handOn(pipe, out, fact.out);
    return fact;
  };

  private costOf(stage: StageName, job: string, side: Side): SideCost {
    const none = (): SideCost => ({ tasks: 0, records: 0, bytes: 0, taken: 0, seconds: 0 });
    const cost = this.stages.get(stage) ?? { stage, jobs: new Set(), map: none(), reduce: none() };
    this.stages.set(stage, cost);
    cost.jobs.add(job);
    return cost[side];
  }

  /** Gives what a task wrote to the engine; returns the bytes of so many records, which stand before what it says of itself. */
  private handOn(pipe: Pipe, out: RecordSink, count: number): number {
    const source = new RawBytesSource(new InputWindow(pipe.read));
    let [bytes, left] = [0, count];
    while (source.next()) {
      const { key, value } = source;
      out.put(key, value);
      const length = LENGTHS + key.length + value.length;
      if (left-- > 0) bytes += length;
      else this.facts = { records: this.facts.records + 1, bytes: this.facts.bytes + length };
    }
    return bytes;
  }
}
