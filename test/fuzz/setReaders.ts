/** Fuzzing of the reader of sets: damaged lines, cut anywhere, against a reader of strings written apart. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowSink } from '../../src/blocks/sets.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../src/readers/documentSink.js';
import { readRange } from '../../src/readers/formats/lineRanges.js';
import { type SetFields, SetLines } from '../../src/readers/formats/setLines.js';
import type { RowRule } from '../../src/text/elements.js';
import type { FuzzTarget } from './main.js';
import type { Mutator } from './mutations.js';

const SAMPLES = [
  'a\tx\nb\ty\t2\n\nc\tz\t0.5\r\nd\te\t1e3\tmore\n',
  '\ufeffuser\titem\tstars\nu1\ti1\t5\nu2\ti2\t3\n',
  'a,x,1\n"b,c","say ""x""",2\n"d",e\nf,"g"\r\n',
  'one\n\ttwo\nthree\t\nfour\tfive\t-1\nsix\tseven\t6',
].map((text) => Buffer.from(text));
const WORDS = ['\t', '\n', '\r\n', '"', '""', '","', ',', '\ufeff', '1e999', '.', '00', ' 5 ', '\0'].map(
  (text) => Buffer.from(text),
);
const BUFFERS: readonly ReadBuffers[] = [1, 7, 64, 8192].map((size) => readBuffers(size));
const RULES: readonly RowRule[] = ['set', 'bag', 'liked', 'stars'];
const PARAMS: ReadParams = {
  textField: 'text',
  idField: 'id',
  encoding: 'utf-8',
  input: 'auto',
  textFormat: 'auto',
  separator: null,
  quote: null,
  maxDocument: 1e6,
  // Bytes are not looked at for NULs.
  shingle: { unit: 'bytes' },
};

export function setTargets(folder: string): FuzzTarget[] {
  return [{ name: 'ranges of set lines', run: (from) => rangesOfSetLines(from, join(folder, 'sets')) }];
}

function rangesOfSetLines(from: Mutator, path: string): void {
  const bytes = from.damaged(SAMPLES, WORDS);
  writeFileSync(path, bytes);
  const fields: SetFields = {
    ...from.pick([
      { set: 0, element: 1, weight: 2 },
      { set: 1, element: 0, weight: -1 },
      { set: 2, element: 0, weight: 1 },
    ]),
    separator: from.pick([0x2c, 0x09, 0x3b]),
    header: from.number(2) === 0,
  };
  const rule = from.pick(RULES);
  const file = {
    path,
    id: 'x',
    bytes: bytes.length,
    format: 'sets',
    codec: null,
    utf16: false,
    stdin: false,
  } as const;
  const found: string[] = [];
  let lines = 0;
  for (let start = 0; start < bytes.length || start === 0; ) {
    const to = Math.min(bytes.length, start + 1 + from.number(60));
    const first = lines;
    const sink: RowSink = {
      row: (given, setFrom, setTo, elementFrom, elementTo, value) => {
        const text = (a: number, b: number): string => Buffer.from(given.slice(a, b)).toString('latin1');
        found.push(JSON.stringify([text(setFrom, setTo), text(elementFrom, elementTo), value]));
        return null;
      },
      skip: (_file, line, code) => found.push(`${line + first} ${code}`),
    };
    const source = { kind: 'range', file, index: 0, from: start, to } as const;
    lines += readRange(source, PARAMS, sink, from.pick(BUFFERS), new SetLines(fields, rule, sink));
    start = Math.max(to, 1);
  }
  const expected = naiveRows(bytes.toString('latin1'), fields, rule);
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${a} is not ${b} with ${JSON.stringify({ fields, rule })}`);
}

function naiveRows(text: string, fields: SetFields, rule: RowRule): string[] {
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  return lines.flatMap((whole, i) => {
    const line = whole.replace(/\r$/, '');
    if (line === '' || (fields.header && i === 0)) return [];
    const cells =
      fields.separator === 0x09 ? line.split('\t') : naiveCells(line, String.fromCharCode(fields.separator));
    if (cells === null) return [`${i} SETS_BAD_QUOTES`];
    const [set, element, weight] = [cells[fields.set], cells[fields.element], cells[fields.weight]];
    if (set === undefined || element === undefined) return [`${i} SETS_NO_ELEMENT`];
    if (set === '') return [`${i} SETS_BAD_NAME`];
    if (element === '') return [`${i} SETS_NO_ELEMENT`];
    if ((weight ?? '') === '' && (rule === 'liked' || rule === 'stars')) return [`${i} SETS_BAD_WEIGHT`];
    const value = (weight ?? '') === '' ? 1 : naiveNumber(weight!);
    const isGood = rule === 'stars' ? [1, 2, 3, 4, 5].includes(value) : value >= 0 && value < Infinity;
    return [isGood ? JSON.stringify([set, element, value]) : `${i} SETS_BAD_WEIGHT`];
  });
}

function naiveCells(line: string, separator: string): string[] | null {
  const cells: string[] = [];
  let rest: string | null = line;
  while (rest !== null) {
    const cell: RegExpExecArray | null = rest.startsWith('"')
      ? new RegExp(`^"((?:[^"]|"")*)"(${separator}|$)`).exec(rest)
      : new RegExp(`^([^${separator}]*)(${separator}|$)`).exec(rest);
    if (cell === null) return null;
    cells.push(rest.startsWith('"') ? cell[1]!.replaceAll('""', '"') : cell[1]!);
    rest = cell[2] === '' ? null : rest.slice(cell[0].length);
  }
  return cells;
}

function naiveNumber(text: string): number {
  const trimmed = text.replace(/^ +| +$/g, '');
  return /^\+?[.\d]+(e[+-]?\d+)?$/i.test(trimmed) && /\d/.test(trimmed.split(/e/i)[0]!)
    ? Number(trimmed)
    : Number.NaN;
}
