/** The scanner of lines of sets in the kernel against the reader of one line at a time. */
import test from 'ava';
import fc from 'fast-check';
import type { RowSink } from '../../src/blocks/sets.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { type SetFields, SetLines } from '../../src/readers/formats/setLines.js';
import { ElementHash, type RowRule } from '../../src/text/elements.js';
import { kernelModule } from './sketchKernels.js';

const SEED = 9;
const kernel = createWasmKernel(kernelModule);

interface Found {
  /** `set|element|value hashes` of rows and `line CODE` of others, as they come. */
  readonly rows: string[];
  readonly lines: number;
  readonly passed: number;
  /** Rows that the kernel found. */
  readonly hashed: number;
}

function found(text: Buffer, fields: SetFields, rule: RowRule, by: Pick<Kernel, 'rowLines'> | null): Found {
  const hash = new ElementHash(SEED);
  const rows: string[] = [];
  let hashed = 0;
  const sink: RowSink = {
    row(bytes, setFrom, setTo, from, to, value, hashes, at) {
      const own = new Uint32Array(4);
      hash.write(bytes, setFrom, setTo, own, 0);
      hash.write(bytes, from, to, own, 2);
      // The reader of one line at a time has room for two hashes.
      if (hashes.length > own.length) hashed++;
      const name = (a: number, b: number): string => Buffer.from(bytes.subarray(a, b)).toString('latin1');
      rows.push(`${name(setFrom, setTo)}|${name(from, to)}|${value} ${hashes.slice(at, at + 4)}`);
      if (own.some((word, i) => word !== hashes[at + i])) rows.push(`other hashes: ${own}`);
      return null;
    },
    skip: (_file, line, code) => rows.push(`${line} ${code}`),
  };
  const lines = new SetLines(fields, rule, sink, by, SEED);
  // What lies before and behind the lines must not get in.
  const bytes = Buffer.concat([Buffer.from('x"\t'), text, Buffer.from('y\t"1\n')]);
  const count = text.length === 0 ? 0 : lines.run(0, 0, bytes.subarray(3, 3 + text.length), false);
  return { rows, lines: count, passed: lines.passed, hashed };
}

const NAMES = [
  '',
  'a',
  'set',
  'é',
  '12345678',
  'nine byte',
  'sixteen bytes ok',
  'seventeen bytes !',
  'n\0',
  ' ',
  '"q"',
  'say "x"',
  '""',
];
const VALUES = [
  '',
  '1',
  '5',
  '0',
  '007',
  '2.5',
  '.5',
  '5.',
  '.',
  '1e3',
  '-1',
  ' 4 ',
  '123456789012345',
  '1234567890123456',
  '0.000000000000001',
  '1.2.3',
  'x',
];

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 8, arbitrary: fc.constantFrom('a', 'set', 'sixteen bytes ok', '7') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 80 }).map((length) => 'long'.repeat(length)) },
);
const line = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: name }, fc.constantFrom(...VALUES)), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([fields, end]) => ({ fields, end }));

test('rows, errors and hashes equal those of one line at a time', (t) => {
  let hashed = 0;
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40, size: 'max' }),
      fc.constantFrom('\t', ',', ';'),
      fc.constantFrom(
        { set: 0, element: 1, weight: -1 },
        { set: 0, element: 1, weight: 2 },
        { set: 2, element: 0, weight: 1 },
        { set: 1, element: 1, weight: 0 },
      ),
      fc.constantFrom<RowRule>('set', 'bag', 'liked', 'liked-hated', 'stars'),
      fc.boolean(),
      (lines, separator, places, rule, isEnded) => {
        const whole = lines.map(({ fields, end }) => fields.join(separator) + end).join('');
        const text = Buffer.from(isEnded ? whole : whole.replace(/\r?\n$/, ''));
        const fields = { ...places, separator: separator.charCodeAt(0), header: false };
        const fast = found(text, fields, rule, kernel);
        hashed += fast.hashed;
        t.deepEqual({ ...fast, hashed: 0 }, found(text, fields, rule, null), text.toString());
      },
    ),
    { seed: 5, numRuns: 400 },
  );
  t.true(hashed > 100, String(hashed));
});

test('lines that do not fit into a call, and more rows than there is room for', (t) => {
  const fields = { set: 0, element: 1, weight: -1, separator: 0x09, header: false };
  const many = Array.from({ length: 9000 }, (_, i) => `${i % 7}\t${i}`);
  // A name longer than a call, and one that ends where a call does.
  many.splice(10, 0, `a\t${'x'.repeat(70_000)}`, `b\t${'y'.repeat(65_000)}`);
  for (const end of ['', '\n']) {
    const text = Buffer.from(many.join('\n') + end);
    const fast = found(text, fields, 'set', kernel);
    t.true(fast.hashed >= 9000);
    t.deepEqual({ ...fast, hashed: 0 }, found(text, fields, 'set', null));
  }
});

test('a sink of many rows gets the same rows as others, with numbers of sets, except for calls with a line that is not a row', (t) => {
  const fields = { set: 0, element: 1, weight: 2, separator: 0x09, header: false };
  const lines = Array.from({ length: 5000 }, (_, i) => `set ${i % 7}\t${i}\t${1 + (i % 5)}`);
  const text = Buffer.from([...lines, 'set\telement\t6', ...lines.slice(0, 100)].join('\n'));
  const takenBy = (many: boolean) => {
    const rows: string[] = [];
    let batches = 0;
    const table = kernel.setNames();
    const sink: RowSink = {
      row(bytes, from, to, _from, _to, value, hashes, at) {
        const set = table.numberOf(bytes, from, to, hashes[at]!, hashes[at + 1]!);
        rows.push(`${set} ${hashes.slice(at + 2, at + 4)} ${value}`);
        return null;
      },
      skip: (_file, line, code) => rows.push(`${line} ${code}`),
      ...(many && {
        many(bytes, { count, from, to, elements, values, number }) {
          batches++;
          t.true(from < to && to <= bytes.length && bytes[to - 1] === 0x0a);
          const sets = new Uint32Array(count);
          number(table, sets);
          for (let i = 0; i < count; i++)
            rows.push(`${sets[i]} ${elements.slice(2 * i, 2 * i + 2)} ${values[i]}`);
          return true;
        },
      }),
    };
    new SetLines(fields, 'stars', sink, kernel, SEED).run(0, 0, text, false);
    return { rows, batches };
  };
  const { rows, batches } = takenBy(true);
  t.true(batches > 1);
  t.deepEqual(rows, takenBy(false).rows);
});
