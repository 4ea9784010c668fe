/**
 * Rows of the corpus as Hadoop Streaming passes text to a Map task: lines, each with an LF; the environment names the split.
 */
import { MinHashError } from '../../errors.js';
import type { CorpusRow, CorpusSource } from '../stream/records.js';
import type { InputWindow } from './descriptors.js';
import { type Counted, recordFault } from './recordFault.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export class LineCorpus implements CorpusSource, Counted {
  count = 0;
  readonly row: CorpusRow;
  private readonly current: { file: string; start: number; bytes: Uint8Array };
  private readonly input: InputWindow;

  /** @throws MinHashError TASK_STREAM where the environment names no split */
  constructor(input: InputWindow, environment: Environment) {
    this.input = input;
    this.row = this.current = { ...splitOf(environment), bytes: new Uint8Array(0) };
  }

  next(): boolean {
    const { input, current } = this;
    const length = input.lineEnd();
    if (length < 0) {
      if (input.at === input.end) return false;
      const offset = input.offset + input.end - input.at;
      throw recordFault(this.count, offset, 'the input ends within this line, before its line feed');
    }
    current.bytes = input.bytes.subarray(input.at, input.at + length);
    input.at += length + 1;
    this.count++;
    return true;
  }
}

function splitOf({ mapreduce_map_input_file: file, mapreduce_map_input_start: start }: Environment): {
  file: string;
  start: number;
} {
  const says = (detail: string): never => {
    throw new MinHashError({ code: 'TASK_STREAM', detail });
  };
  if (file === undefined || file === '')
    return says('mapreduce_map_input_file is not set: expected the file that the lines are of');
  if (start === undefined || !/^\d{1,16}$/.test(start))
    return says('mapreduce_map_input_start: expected where the split begins, as a number of bytes');
  return { file, start: Number(start) };
}
