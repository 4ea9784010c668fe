/** The scanner of lines of sets in the kernel against the reader of one line at a time. */
import test from 'ava';
import fc from 'fast-check';
import type { RowSink } from '../../src/blocks/sets.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { type SetFields, SetLines } from '../../src/readers/formats/setLines.js';
import type { RowRule } from '../../src/text/elements.js';
import { kernelModule } from './sketchKernels.js';

const SEED = 9;
const kernel = createWasmKernel(kernelModule);

interface Found {
  /** `number of the set, hash of the element, value` of rows and `line CODE` of others, as they come. */
  readonly rows: string[];
  readonly lines: number;
  readonly passed: number;
  /** Rows that came many at once. */
  readonly scanned: number;
}

function found(text: Buffer, fields: SetFields, rule: RowRule, isMany: boolean): Found {
  const rows: string[] = [];
  let scanned = 0;
  const table = kernel.setNames();
  const sink: RowSink = {
    row(bytes, from, to, _from, _to, value, hashes, at) {
      const set = table.numberOf(bytes, from, to, hashes[at]!, hashes[at + 1]!);
      rows.push(`${set} ${hashes.slice(at + 2, at + 4)} ${value}`);
      return null;
    },
    skip: (_file, line, code) => rows.push(`${line} ${code}`),
    ...(isMany && {
      many(_, { count, elements, values, number }) {
        scanned += count;
        const sets = new Uint32Array(count);
        number(table, sets);
        for (let i = 0; i < count; i++)
          rows.push(`${sets[i]} ${elements.slice(2 * i, 2 * i + 2)} ${values[i]}`);
        return true;
      },
    }),
  };
  const lines = new SetLines(fields, rule, sink, isMany ? kernel : null, SEED);
  // Bytes before and behind the lines are not read.
  const bytes = Buffer.concat([Buffer.from('x"\t'), text, Buffer.from('y\t"1\n')]);
  const count = text.length === 0 ? 0 : lines.run(0, 0, bytes.subarray(3, 3 + text.length), false);
  return { rows, lines: count, passed: lines.passed, scanned };
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
  let scanned = 0;
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
      fc.boolean(),
      (lines, separator, places, rule, isEnded, areRows) => {
        const fields = { ...places, separator: separator.charCodeAt(0), header: false };
        const isRow = (one: string): boolean =>
          !/[A-Z]/.test(found(Buffer.from(one), fields, rule, false).rows[0] ?? '');
        const all = lines.map((parts) => parts.fields.join(separator) + parts.end);
        const whole = all.filter((one) => !areRows || isRow(one)).join('');
        const text = Buffer.from(isEnded ? whole : whole.replace(/\r?\n$/, ''));
        const fast = found(text, fields, rule, true);
        scanned += fast.scanned;
        t.deepEqual({ ...fast, scanned: 0 }, found(text, fields, rule, false), text.toString());
      },
    ),
    { seed: 5, numRuns: 400 },
  );
  t.true(scanned > 0);
});

test('lines that do not fit into a call, and more rows than there is room for', (t) => {
  const fields = { set: 0, element: 1, weight: -1, separator: 0x09, header: false };
  const many = Array.from({ length: 9000 }, (_, i) => `${i % 7}\t${i}`);
  // A name longer than a call, and one that ends where a call does.
  many.splice(10, 0, `a\t${'x'.repeat(70_000)}`, `b\t${'y'.repeat(65_000)}`);
  for (const end of ['', '\n']) {
    const text = Buffer.from(many.join('\n') + end);
    const fast = found(text, fields, 'set', true);
    t.true(fast.scanned >= 9000);
    t.deepEqual({ ...fast, scanned: 0 }, found(text, fields, 'set', false));
  }
});
