/**
 * The elements of a few sets by the names of the sets, for showing them. Floor 2; must never know results or signatures.
 */
import type { RowSink } from '../blocks/setBlocks.js';
import type { ErrorCode } from '../errors.js';
import { type ResultParams, rowRuleOf } from '../sketch/params.js';
import {
  combined,
  contributionOf,
  copiesOf,
  MOST_COPIES,
  NOTHING,
  type RowRule,
} from '../sketch/rowRules.js';
import { streamChunks } from './chunks.js';
import { isUtf8 } from './encodings.js';
import { binaryOfBytes, textOf } from './ids.js';
import type { InputFile, Inputs } from './inputs.js';
import { readRange } from './lineRanges.js';
import { readBuffers } from './readerSink.js';
import { type SetFields, setFieldsOf } from './setFields.js';
import { SetLines } from './setLines.js';
import { firstLineOf, readFirstLine } from './setSource.js';

/** Gathers what lines say of wanted sets. */
class WantedRows implements RowSink {
  readonly found = new Map<string, Map<string, number>>();
  private readonly wanted: ReadonlySet<string>;
  private readonly rule: RowRule;
  private readonly likedFrom: number;
  private readonly shown: (name: string) => string;

  constructor(
    wanted: ReadonlySet<string>,
    rule: RowRule,
    likedFrom: number,
    shown: (name: string) => string,
  ) {
    this.shown = shown;
    this.wanted = wanted;
    this.rule = rule;
    this.likedFrom = likedFrom;
  }

  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    elementFrom: number,
    elementTo: number,
    value: number,
  ): void {
    const name = this.shown(binaryOfBytes(bytes.subarray(setFrom, setTo)));
    if (!this.wanted.has(name)) return;
    const set = this.found.get(name) ?? new Map<string, number>();
    this.found.set(name, set);
    const contribution = contributionOf(this.rule, value, this.likedFrom);
    if (contribution === NOTHING) return;
    const element = binaryOfBytes(bytes.subarray(elementFrom, elementTo));
    const known = set.get(element);
    set.set(element, known === undefined ? contribution : combined(this.rule, known, contribution));
  }

  skip(_file: number, _record: number, _code: ErrorCode, _id: null): void {
    // The run named it.
  }
}

/**
 * The labelled elements of the sets wanted, in the order of the bytes of elements: `x`, and `x (2)` for its second
 * occurrence; of liked and hated items `x liked` or `x hated`. Sets that are not found are not in the map; standard input
 * cannot be read again.
 *
 * @param wanted names as binary strings
 * @param shown a name as it stands where the wanted ones come from
 */
export async function findSets(
  { files }: Pick<Inputs, 'files'>,
  params: ResultParams,
  wanted: ReadonlySet<string>,
  shown: (name: string) => string = (name) => name,
): Promise<Map<string, readonly string[]>> {
  const rule = rowRuleOf(params);
  const rows = new WantedRows(wanted, rule, params.sets?.likedFrom ?? 0, shown);
  const buffers = readBuffers();
  for (let index = 0; index < files.length; index++) {
    const file = files.file(index);
    if (file.format !== 'sets' || file.stdin) continue;
    if (file.gzip || !isUtf8(params.encoding)) {
      await readStream(file, params, rule, rows);
      continue;
    }
    const line = params.sets!.named ? readFirstLine(file.path) : new Uint8Array(0);
    const fields = typeof line === 'string' ? null : setFieldsOf(params.sets!, file.id, () => line);
    if (fields === null) continue;
    const source = { kind: 'range', file, index, from: 0, to: file.bytes } as const;
    readRange(source, params, rows, buffers, new SetLines(fields, rule, rows));
  }
  const sets = new Map<string, readonly string[]>();
  for (const [name, elements] of rows.found) sets.set(name, labelledElements(elements, rule));
  return sets;
}

async function readStream(
  file: InputFile,
  params: ResultParams,
  rule: RowRule,
  rows: WantedRows,
): Promise<void> {
  let fields: SetFields | null = null;
  for await (const chunk of streamChunks(file, params)) {
    if ('fault' in chunk) continue;
    const { bytes, firstLine } = chunk;
    fields ??= setFieldsOf(params.sets!, file.id, () => firstLineOf(bytes));
    if (fields === null) return;
    new SetLines(fields, rule, rows).run(0, 0, bytes, 0, bytes.length, firstLine === 0);
  }
}

function labelledElements(elements: ReadonlyMap<string, number>, rule: RowRule): string[] {
  return [...elements.keys()].sort().flatMap((element) => {
    const together = elements.get(element)!;
    const text = textOf(element);
    if (rule === 'liked-hated') return [`${text} ${together === 1 ? 'liked' : 'hated'}`];
    const copies = Math.min(MOST_COPIES, copiesOf(rule, together));
    return Array.from({ length: copies }, (_, i) => (i === 0 ? text : `${text} (${i + 1})`));
  });
}
