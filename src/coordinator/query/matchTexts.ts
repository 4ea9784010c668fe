/** Reads the texts of a few matches again: of those that are shown, or compared with better ones. */

import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import { FILES_A_SPLIT } from '../../readers/pieces.js';
import { isOfFiles } from '../../readers/split.js';
import type { Run } from '../context.js';
import { runReading } from '../sketch/badRecords.js';
import type { ColumnBlock } from '../sketch/sketching.js';
import type { Source } from '../sketch/source.js';
import type { Match } from './bestMatches.js';

type Portion = Pick<ColumnBlock, 'split' | 'text' | 'keepText' | 'label'>;
type Texts = Map<string, Uint8Array>;

/** A document within a query: records of a byte range are numbered from its beginning. */
const keyOf = ({ block, file, record }: Match): string => `${block.block} ${file} ${record}`;

export class MatchTexts {
  private readonly run: Run;
  private readonly source: Source;
  private calls = 0;

  constructor(run: Run, source: Source) {
    this.run = run;
    this.source = source;
  }

  /**
   * The texts of matches, in their order; null for one that is gone. Of whole files only the wanted ones
   * are opened, of others the column blocks are read again.
   */
  async of(matches: readonly Match[]): Promise<(Uint8Array | null)[]> {
    const texts: Texts = new Map();
    const isWhole = ({ block }: Match): boolean => isOfFiles(block.split);
    const whole = matches.filter(isWhole);
    const files = Uint32Array.from(new Set(whole.map(({ file }) => file))).sort();
    for (let from = 0; from < files.length; from += FILES_A_SPLIT) {
      const some = files.subarray(from, from + FILES_A_SPLIT);
      const wanted = whole.filter(({ file }) => some.includes(file));
      await this.read(texts, this.source.input!.splitOf(some), wanted);
    }
    const others = matches.filter((match) => !isWhole(match));
    const blocks = new Map<number, ColumnBlock>();
    for (const { block } of others) blocks.set(block.block, block);
    const ascending = [...blocks.values()].sort((x, y) => x.block - y.block);
    for await (const again of this.source.again(ascending)) {
      await this.read(
        texts,
        again,
        others.filter(({ block }) => block.block === again.block),
      );
    }
    return matches.map((match) => texts.get(keyOf(match)) ?? null);
  }

  private async read(
    texts: Texts,
    { split, text, keepText, label }: Portion,
    matches: readonly Match[],
  ): Promise<void> {
    const { run } = this;
    const distinct = new Map(matches.map((match) => [keyOf(match), match]));
    const ordered = [...distinct.values()].sort((x, y) => x.file - y.file || x.record - y.record);
    const name = NAMES.documentTexts(this.calls);
    const wanted = NAMES.wanted('texts', this.calls++);
    const columns = {
      file: Uint32Array.from(ordered, ({ file }) => file),
      record: Float64Array.from(ordered, ({ record }) => record),
    };
    run.put(wanted, encodeBlock('documents', {}, columns));
    await runReading(run, {
      kind: 'documentTexts',
      label,
      params: { name, split, text, wanted },
      inputs: text === null ? [wanted] : [wanted, text],
    });
    const { store } = run.engine;
    const { found, offsets, bytes } = decodeBlock(store.get(name), 'text', name).columns;
    found!.forEach((row, i) => {
      texts.set(keyOf(ordered[row]!), (bytes as Uint8Array).slice(offsets![i]!, offsets![i + 1]!));
    });
    store.delete(name);
    store.delete(wanted);
    if (text !== null && keepText !== true) store.delete(text);
  }
}
