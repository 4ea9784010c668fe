/** Values of fields from the reader's calls to document numbers: one a document, whatever is left out around it. */
import test from 'ava';
import fc from 'fast-check';
import { contentKeys } from '../../../mappers/contentKeys.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import type { DocumentSink } from '../../../src/blocks/documents.js';
import { FieldValues, MISSING, NUMBER } from '../../../src/blocks/fieldValues.js';
import { NAMES } from '../../../src/blocks/names.js';
import { survivorsOrder } from '../../../src/coordinator/finish/precedence.js';
import { CorpusBuilder, SkipList } from '../../../src/coordinator/sketch/corpus.js';
import type { DocumentFields } from '../../../src/coordinator/sketch/documentFields.js';
import { unnamedFile } from '../../../src/readers/list/fileTable.js';
import { PlacedDocuments } from '../../../src/readers/sinks/placedSinks.js';
import { TableMemory, UNBOUNDED } from '../../../src/store/budget.js';
import { Store } from '../../../src/store/store.js';
import type { ShingleParams } from '../../../src/text/shingles.js';
import { createReferenceKernel } from '../../kernel/referenceKernel.js';
import { parametersFor } from '../../output/resultSample.js';

type Value = number | string | null;
interface Step {
  readonly what: 'whole' | 'pieces' | 'void' | 'skip';
  readonly id: string;
  readonly values: readonly [Value, Value] | null;
}

const TEXTS = fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' });
const VALUE: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0, -0, 1, Number.POSITIVE_INFINITY, 'a', 'b', '2'),
  fc.double({ noNaN: true }),
  TEXTS,
);
const STEP: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('whole', 'pieces', 'void', 'skip'),
  id: fc.string({ minLength: 1, maxLength: 2, unit: fc.constantFrom('a', 'b', 'c') }),
  values: fc.option(fc.tuple(VALUE, VALUE)),
});

const WORDS = Buffer.from('a few words');
const kernel = createReferenceKernel();

/** What a reader does with these documents; records are numbered as they come. */
function give(steps: readonly Step[], sink: DocumentSink): void {
  const held = new FieldValues(2);
  steps.forEach(({ what, id, values }, record) => {
    held.clear();
    values?.forEach((value, i) => {
      if (typeof value === 'number') held.setNumber(i, value);
      else if (value !== null) {
        const bytes = Buffer.from(`_${value}_`);
        held.setText(i, bytes, 1, bytes.length - 1);
      }
    });
    if (values !== null) sink.fields?.(held);
    const name = Buffer.from(id);
    if (what === 'whole') sink.whole(0, record, name, WORDS, false);
    else if (what === 'skip' || !sink.begin(0, record, name)) sink.skip(0, record, 'TOO_LARGE', name);
    else {
      sink.text(WORDS);
      if (what === 'void') sink.skip(0, record, 'TOO_LARGE', name);
      else sink.end(false);
    }
  });
}

const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };
/** The second document that a reader gives is left out. */
const CONDEMNED = [2];

function corpusOf(blocks: readonly (readonly Step[])[]) {
  const store = new Store();
  const builder = new CorpusBuilder(store, unnamedFile(), new SkipList(), true, ['one', 'other']);
  blocks.forEach((steps, k) => {
    const feed = (sink: DocumentSink): void => give(steps, new PlacedDocuments(sink, CONDEMNED, () => {}));
    const { documents } = contentKeys(feed, kernel, SHINGLE);
    const table = documents(steps.length);
    store.put(NAMES.documents(k), table.buffer);
    const report = { documents: 0, skipped: 0, lines: steps.length, bytes: 0 };
    builder.add({ block: k, split: { kind: 'memory' }, text: null, label: '', report });
  });
  return atOnce(builder.finish());
}

function valueAt(values: DocumentFields, d: number): Value {
  if (values.kinds[d] === MISSING) return null;
  if (values.kinds[d] === NUMBER) return values.numbers[d]!;
  return Buffer.from(values.text(d)).toString();
}

/** The values of the steps of a block that become documents. */
function givenIn(steps: readonly Step[]): (readonly [Value, Value])[] {
  const begun = steps.filter(({ what }) => what !== 'skip');
  const left = begun.filter(({ what }, i) => i !== CONDEMNED[0]! - 1 && what !== 'void');
  return left.map(({ values }) => values ?? [null, null]);
}

const bytesOf = (value: Value): Buffer => Buffer.from(String(value));

/** The place of a value in an order: its kind, then the number or the text as bytes. */
function compared(a: Value, b: Value, first: 'min' | 'max'): number {
  const rank = (value: Value): number => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  if (a === null || b === null || rank(a) !== rank(b)) return Math.sign(rank(a) - rank(b));
  const order = rank(a) === 0 ? Number(a > b) - Number(a < b) : Buffer.compare(bytesOf(a), bytesOf(b));
  return first === 'min' ? order : -order;
}

test('every document has the values that its record was given with, and they are ordered', (t) => {
  const blocks = fc.array(fc.array(STEP, { maxLength: 12 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(blocks, (some) => {
      const corpus = corpusOf(some);
      const wanted = some.map(givenIn);
      const place = (d: number) => wanted[corpus.blockOf[d]!]![corpus.columnOf[d]!]!;
      t.is(corpus.documents, wanted.flat().length);
      for (const [field, name] of ['one', 'other'].entries()) {
        const values = corpus.fieldValues(name);
        const given = Array.from({ length: corpus.documents }, (_, d) => place(d)[field]!);
        t.deepEqual(
          given.map((_, d) => valueAt(values, d)),
          given.map((value) => (value === 0 ? 0 : value)),
        );
        t.is(corpus.valuesMissing(name), given.filter((value) => value === null).length);
        for (const best of ['min', 'max'] as const) {
          const params = { ...parametersFor(), keep: { by: 'field', field: name, best } } as const;
          const tables = new TableMemory(UNBOUNDED);
          const run = { params, tables, engine: { store: new Store() } };
          const { rank } = atOnce(survivorsOrder(run, corpus, null));
          const numbers = given.map((_, d) => d);
          t.deepEqual(
            numbers.toSorted((a, b) => rank![a]! - rank![b]!),
            numbers.toSorted((a, b) => compared(given[a]!, given[b]!, best) || a - b),
          );
        }
      }
    }),
    { numRuns: 100, seed: 17 },
  );
  t.throws(() => corpusOf([[]]).fieldValues('no field'));
});
