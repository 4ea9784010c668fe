/** Reads the texts of a few matches again, on this thread: those that are shown, or compared with better ones. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBlock } from '../../blocks/block.js';
import { readBuffers } from '../../readers/documentSink.js';
import { JoinedTexts } from '../../readers/find.js';
import { FormatReading } from '../../readers/formats/reading.js';
import { unnamedFile } from '../../readers/list/fileTable.js';
import { FILES_A_SPLIT } from '../../readers/pieces.js';
import { readSplit } from '../../readers/reader.js';
import { isOfFiles } from '../../readers/split.js';
import type { Run } from '../context.js';
import type { Source, SourceBatch } from '../sketch/source.js';
import type { Match } from './bestMatches.js';

/** By document: its text; null: it no longer exists. */
type Texts = Map<string, Uint8Array | null>;

/**
 * The key of a document within a query: records of a byte range are numbered from its beginning. `block`: null for
 * files read as a whole.
 */
const keyAt = (block: number | null, file: number, record: number): string => `${block} ${file} ${record}`;

const isWhole = ({ block }: Match): boolean => isOfFiles(block.split);
const keyOf = (match: Match): string =>
  keyAt(isWhole(match) ? null : match.block.block, match.file, match.record);

export class MatchTexts {
  private readonly run: Run;
  private readonly source: Source;
  private readonly buffers = readBuffers();

  constructor(run: Run, source: Source) {
    this.run = run;
    this.source = source;
  }

  /**
   * The texts of matches, in order; null for one that no longer exists. Of whole files only the wanted ones are opened;
   * of others the batches are read again.
   */
  async of(matches: readonly Match[]): Promise<(Uint8Array | null)[]> {
    const texts: Texts = new Map(matches.map((match) => [keyOf(match), null]));
    const whole = new Set(matches.filter(isWhole).map(({ file }) => file));
    const files = Uint32Array.from(whole).sort();
    for (let from = 0; from < files.length; from += FILES_A_SPLIT) {
      const group = files.subarray(from, from + FILES_A_SPLIT);
      await this.read(texts, null, this.source.input!.splitOf(group));
    }
    const others = matches.filter((match) => !isWhole(match));
    const blocks = new Map(others.map(({ block }) => [block.block, block]));
    const ascending = [...blocks.values()].sort((x, y) => x.block - y.block);
    for await (const again of this.source.again(ascending)) await this.read(texts, again.block, again);
    return matches.map((match) => texts.get(keyOf(match))!);
  }

  private async read(
    texts: Texts,
    block: number | null,
    { split, text, keepText }: Pick<SourceBatch, 'split' | 'text' | 'keepText'>,
  ): Promise<void> {
    const { engine, params, budget } = this.run;
    const beside = text === null ? null : decodeBlock(engine.store.get(text), 'text', text);
    const sink = new WantedTexts(texts, block);
    readSplit(split, beside, new FormatReading({ ...params, room: budget }, sink, this.buffers));
    if (text !== null && keepText !== true) engine.store.delete(text);
    await nextTurn();
    this.run.checkStopped();
  }
}

/** Keeps the wanted texts. */
class WantedTexts extends JoinedTexts {
  private readonly texts: Texts;
  private readonly block: number | null;
  private key = '';

  constructor(texts: Texts, block: number | null) {
    super(unnamedFile());
    this.texts = texts;
    this.block = block;
  }

  begin(file: number, record: number): boolean {
    this.key = keyAt(this.block, file, record);
    return this.texts.has(this.key);
  }

  protected joined(text: Uint8Array): void {
    this.texts.set(this.key, Uint8Array.from(text));
  }
}
