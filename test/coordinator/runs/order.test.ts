/** Properties of the keep order. Runs over documents in memory represent those over files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { filterDocuments } from '../../../src/coordinator/filter/filterDocuments.js';
import { run } from '../../../src/coordinator/run.js';
import { type Duplicates, findDuplicates, type MemoryDocument } from '../../../src/index.js';
import { prepared, resultOf } from './finished.js';

const RULES = { threshold: 0.7, bands: 40, rows: 3 } as const;

/** A page with some words changed, so that pages of a family are alike, or nearly. */
const page = fc
  .record({
    family: fc.nat(2),
    edits: fc.uniqueArray(fc.nat(5), { maxLength: 3 }),
    end: fc.constantFrom('', ' ', '!'),
  })
  .map(({ family, edits, end }) => {
    const words = Array.from({ length: 60 }, (_, i) => `w${family}n${i}`);
    for (const edit of edits) words[10 * edit] = `changed${edit}`;
    return words.join(' ') + end;
  });
const pages = fc.array(page, { minLength: 1, maxLength: 12 });

const named = (texts: readonly string[], name = 'd'): MemoryDocument[] =>
  texts.map((text, i) => ({ id: `${name}${i}`, text }));
const keptOf = ({ dropped }: Duplicates, documents: readonly MemoryDocument[]): string[] => {
  const gone = new Set(dropped.map(({ document }) => document));
  return documents.map(({ id }) => id).filter((id) => !gone.has(id));
};

test('a filter keeps exactly what a run keeps, with the same kept document for each dropped one', async (t) => {
  const law = fc.asyncProperty(pages, async (texts) => {
    const { dropped } = await findDuplicates(texts, { ...RULES, threads: 0 });
    const gone: unknown[] = [];
    for await (const { kept, index, resembles, jaccard } of filterDocuments(texts, RULES))
      if (!kept) gone.push([index, resembles, jaccard]);
    t.deepEqual(
      gone,
      dropped.map(({ index, kept, jaccard }) => [index, kept, jaccard]),
    );
  });
  await fc.assert(law, { seed: 31, numRuns: 10 });
});

test('appending documents never changes which earlier ones are kept', async (t) => {
  const law = fc.asyncProperty(pages, pages, async (texts, more) => {
    const [some, all] = [named(texts), named([...texts, ...more])];
    const before = keptOf(await findDuplicates(some, { ...RULES, threads: 0 }), some);
    const after = keptOf(await findDuplicates(all, { ...RULES, threads: 0 }), all);
    t.deepEqual(after.slice(0, before.length), before);
    t.true(after.slice(before.length).every((id) => Number(id.slice(1)) >= texts.length));
  });
  await fc.assert(law, { seed: 32, numRuns: 10 });
});

test('pairs do not depend on the order of texts', async (t) => {
  const orders = pages.chain((texts) =>
    fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts, { minLength: texts.length })),
  );
  // Of documents with the same words the first has the near pairs of all.
  const wordsOf = (text: string): string => text.replace(/[ !]+$/, '');
  const pairsOf = async (texts: readonly string[]): Promise<readonly unknown[]> => {
    const { pairs } = await findDuplicates(named(texts), { ...RULES, threads: 0 });
    const near = pairs.filter(({ kind }) => kind === 'near');
    const textsOf = ({ a, b }: (typeof near)[number]): string =>
      [a, b]
        .map((id) => wordsOf(texts[Number(id.slice(1))]!))
        .sort()
        .join('\n');
    return [pairs.length, ...near.map(textsOf).sort()];
  };
  const law = fc.asyncProperty(orders, async ([texts, turned]) => {
    t.deepEqual(await pairsOf(turned), await pairsOf(texts));
  });
  await fc.assert(law, { seed: 33, numRuns: 10 });
});

test('OLD before NEW drops from NEW what OLD as a reference drops, and near-duplicates within NEW', async (t) => {
  const { folder, inputs, options } = prepared(t, { 'old.jsonl': '', 'new.jsonl': '' });
  const paths = ['old.jsonl', 'new.jsonl'].map((name) => join(inputs, name));
  const write = (path: string, documents: readonly MemoryDocument[]): void =>
    writeFileSync(path, documents.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const own = async (documents: readonly MemoryDocument[]): Promise<MemoryDocument[]> => {
    const kept = new Set(keptOf(await findDuplicates(documents, { ...RULES, threads: 0 }), documents));
    return documents.filter(({ id }) => kept.has(id));
  };
  const droppedBy = async (name: string, some: object): Promise<Set<string>> => {
    const out = join(folder, name);
    await run({ ...options, ...RULES, ...some, out, idField: 'id', force: true, threads: 0 });
    return new Set(resultOf(out).dropped.map(({ document }) => document!));
  };
  const law = fc.asyncProperty(pages, pages, async (old, fresh) => {
    // What is alike in OLD could be dropped there, and be no reason to drop what is like it.
    write(paths[0]!, await own(named(old, 'old')));
    const all = named(fresh, 'new');
    for (const documents of [all, await own(all)]) {
      write(paths[1]!, documents);
      const after = await droppedBy('after', { paths });
      const against = await droppedBy('against', { paths: [paths[1]], against: [paths[0]] });
      t.true([...against].every((id) => id.startsWith('new') && after.has(id)));
      if (documents !== all) t.is(after.size, against.size);
    }
  });
  await fc.assert(law, { seed: 34, numRuns: 2 });
});
