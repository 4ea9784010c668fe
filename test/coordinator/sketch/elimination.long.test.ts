/** `--max-shingle-documents N`: what is eliminated, against brute force, and what becomes of the result. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { shingleParams } from '../../../src/analysis/measures.js';
import { Run } from '../../../src/coordinator/context.js';
import { run } from '../../../src/coordinator/run.js';
import {
  type CountingRoom,
  eliminatedShingles,
  MOST_ROOM,
} from '../../../src/coordinator/sketch/frequentShingles.js';
import { MemorySource } from '../../../src/coordinator/sketch/source.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { findDuplicates, resemblance } from '../../../src/index.js';
import { verifyResult } from '../../../src/output/verifyResult.js';
import { grouped } from '../../../src/output/wording/amounts.js';
import { Store } from '../../../src/store/store.js';
import { KERNEL_MODULE } from '../../../src/tasks/kernelModule.js';
import { shingleSet } from '../../../src/text/shingles.js';
import { packDocuments } from '../../data/packedDocuments.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { resolveOptions } from '../../options/resolveOptions.js';
import { finished, prepared } from '../runs/finished.js';
import { rowsOf } from '../runs/resultFiles.js';

type Texts = Readonly<Record<string, string>>;

const NOTICE =
  'this program is free software you can redistribute it and or modify it under the terms of the licence';

/** Pages with a notice that many have, near copies among them, and some that are the notice alone. */
function corpus(): Texts {
  const random = randomFrom(77);
  const texts: Record<string, string> = {};
  for (let page = 0; page < 60; page++) {
    const words = wordsFrom(random, 40 + page);
    const notice = page % 2 === 0 ? `${NOTICE} ` : '';
    texts[`p${page}.txt`] = notice + words.join(' ');
    if (page % 3 === 0) texts[`p${page}-copy.txt`] = notice + edited(random, words, 2).join(' ');
  }
  for (let i = 0; i < 4; i++) texts[`notice${i}.txt`] = i < 2 ? NOTICE : `${NOTICE} ${i}`;
  return texts;
}

/** Documents of every shingle, by hash in 16 digits. */
function countsOf(texts: Texts, size = 5): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of Object.values(texts)) {
    const set = shingleSet(Buffer.from(text), shingleParams({ size }));
    for (let i = 0; i < set.length; i += 2) {
      const name = [set[i + 1]!, set[i]!].map((word) => word.toString(16).padStart(8, '0')).join('');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

/** What is in more than `most` documents: `hash documents`, the most frequent first. */
function popularOf(texts: Texts, most: number): string[] {
  const popular = [...countsOf(texts)].filter(([, count]) => count > most);
  popular.sort(([x, countX], [y, countY]) => countY - countX || (x < y ? -1 : 1));
  return popular.map(([name, count]) => `${name} ${count}`);
}

test('the list is exact, the most frequent first, with texts, and is part of the result', async (t) => {
  const texts = corpus();
  for (const most of [2, 3, 20, 1000]) {
    const result = await finished(t, texts, { maxShingleDocuments: most });
    const rows = rowsOf(result.out, 'eliminated');
    t.deepEqual(
      rows.map(({ shingle, documents }) => `${shingle} ${documents}`),
      popularOf(texts, most),
    );
    t.is(result.manifest.counts.eliminated_shingles, rows.length);
    for (const { text } of rows)
      t.true(Object.values(texts).some((page) => page.includes(text!)) && text !== '');
    t.is((await verifyResult(result.out)).sound, true);
    t.regex(
      result.summary,
      new RegExp(
        `Note {8}${grouped(rows.length)} shingles? that occurs? in more than ${grouped(most)} documents? `,
      ),
    );
  }
});

test('what is eliminated leaves the sketches only: values are those of the full sets', async (t) => {
  const texts = corpus();
  const options = { threshold: 0.6, bands: 128, rows: 1 } as const;
  const plain = await finished(t, texts, options);
  const thinned = await finished(t, texts, { ...options, maxShingleDocuments: 20 });
  const named = (rows: readonly Readonly<Record<string, string>>[]): string[] =>
    rows.map(({ a, b }) => `${a} ${b}`);
  // The notice made candidates of pages that have nothing else in common.
  t.true(plain.candidates.length > 3 * thinned.candidates.length);
  const out = new Set(popularOf(texts, 20).map((row) => row.split(' ')[0]!));
  const left = (id: string): string[] =>
    [...countsOf({ id: texts[id]! }).keys()].filter((hash) => !out.has(hash));
  for (const { a, b, jaccard } of thinned.candidates) {
    const others = new Set(left(b!));
    t.true(
      left(a!).some((hash) => others.has(hash)),
      `${a} ${b}`,
    );
    t.is(jaccard, resemblance(texts[a!]!, texts[b!]!).toFixed(6));
  }
  for (const { a, b, jaccard, kind } of thinned.pairs) {
    if (kind === 'near') t.is(jaccard, resemblance(texts[a!]!, texts[b!]!).toFixed(6));
  }
  const pages = (pairs: readonly string[]): string[] => pairs.filter((pair) => !pair.includes('notice'));
  t.deepEqual(pages(named(thinned.pairs)), pages(named(plain.pairs)));
  // Two documents are nothing but the notice: they have no sketch, and are found to be identical all the same.
  const { counts } = thinned.manifest;
  t.deepEqual([counts.unsketched, counts.identity_classes], [2, 1]);
  t.regex(thinned.summary, /2 documents have tokens but no shingle left in the sketch/);
});

test('standard input cannot be counted, and says why', async (t) => {
  await t.throwsAsync(async () => resolveOptions({ paths: ['-', 'x'], maxShingleDocuments: 5 }), {
    code: 'OPTION_INVALID',
    message: /maxShingleDocuments 5: expected files, .* more than once, got standard input \(-\)/,
  });
});

test('the list is checked by verifyResult', async (t) => {
  const { options } = prepared(t, corpus());
  await run({ ...options, threads: 0, maxShingleDocuments: 10 });
  const { out } = options;
  const text = readFileSync(join(out, 'eliminated.tsv'), 'utf8');
  t.regex(text, /^shingle\tdocuments\ttext\n[0-9a-f]{16}\t\d+\t/);
  const { sound, rule } = await verifyResult(out);
  t.deepEqual([sound, rule], [true, null]);
  writeFileSync(join(out, 'eliminated.tsv'), text.replace(/[0-9a-f]{16}/, 'g'.repeat(16)));
  const { faults } = await verifyResult(out);
  t.deepEqual(
    faults.map(({ file, kind }) => [file, kind]),
    [['eliminated.tsv', 'sha256']],
  );
});

const ROOMS: readonly CountingRoom[] = [
  MOST_ROOM,
  { ...MOST_ROOM, unfiltered: 0 },
  { counters: 2, hashes: 1 << 22, unfiltered: 0 },
  { counters: 1 << 16, hashes: 50, unfiltered: 0 },
  { counters: 1 << 16, hashes: 300, unfiltered: 1e9 },
];

test('the room for counting changes nothing but the number of readings', async (t) => {
  const texts = corpus();
  const documents = Object.entries(texts).map(([id, text]) => ({ id, text }));
  const { params } = resolveOptions({ paths: ['x'], maxShingleDocuments: 2 });
  const expected = popularOf(texts, 2);
  const readings: number[] = [];
  for (const room of ROOMS) {
    const engine = await createInlineEngine({
      workerData: { [KERNEL_MODULE]: kernelModule },
      tasks: new URL('../../../src/tasks/table.js', import.meta.url).href,
      setup: { params } as unknown as Record<string, never>,
      store: new Store(),
    });
    const current = new Run(params, engine, undefined, undefined);
    const blocks = new MemorySource(current, packDocuments(documents));
    let read = 0;
    const first = () => {
      read++;
      return blocks.first();
    };
    const source = {
      first,
      again: blocks.again,
      input: null,
      totalBytes: 1e6,
      totalBlocks: null,
    };
    const found = await eliminatedShingles(current, source as never, 2, room);
    const rows = Array.from(found.documents, (count, i) => {
      const digits = [found.hashes[2 * i + 1]!, found.hashes[2 * i]!].map((word) =>
        word.toString(16).padStart(8, '0'),
      );
      return `${digits.join('')} ${count}`;
    });
    t.deepEqual([...rows].sort(), [...expected].sort());
    t.deepEqual(
      rows.map((row) => row.slice(0, 16)),
      rows.map((row) => row.slice(0, 16)).sort(),
    );
    t.is(current.engine.store.has('shingleFilter'), false);
    readings.push(read);
    await engine.close();
  }
  t.deepEqual(readings.slice(0, 3), [1, 2, 2]);
  t.true(readings[3]! > 3 && readings[4]! > 5, readings.join(' '));
});

test('findDuplicates counts documents in memory, and a document of a bag by its labelled shingles', async (t) => {
  const documents = Object.entries(corpus()).map(([id, text]) => ({ id, text }));
  const { counts } = await findDuplicates(documents, { maxShingleDocuments: 20 });
  t.is(counts.eliminated_shingles, popularOf(corpus(), 20).length);
  t.is(
    (await findDuplicates(documents, { maxShingleDocuments: 20, bag: true, threads: 2 })).counts
      .eliminated_shingles,
    counts.eliminated_shingles,
  );
});
