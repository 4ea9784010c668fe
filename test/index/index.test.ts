/** The index that grows: answers do not depend on how documents came into it, and damage is reported by name. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { sortUnique64 } from '../../src/arrays/sort.js';
import { MinHashError } from '../../src/errors.js';
import { checkIndex } from '../../src/index/checking.js';
import { IndexWriter, makeIndex, openedIndex } from '../../src/index/indexFolder.js';
import { differences, readIndexManifest, writeIndexManifest } from '../../src/index/indexManifest.js';
import { type IndexHit, lookUp, lookUpSegment, lookupRule } from '../../src/index/lookups.js';
import { compact, mergeFew } from '../../src/index/merging.js';
import { removeDocuments } from '../../src/index/removing.js';
import { NODE_FILES } from '../../src/store/fileSystem.js';
import { randomHashes } from '../data/randomHashes.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import {
  addDocuments,
  answers,
  documentOf,
  expectedHits,
  PARAMS,
  type RandomDocument,
  randomDocuments,
} from './randomIndex.js';

const RULE = lookupRule(PARAMS);

function writing(folder: string, work: (writer: IndexWriter) => void): void {
  const writer = new IndexWriter(folder);
  try {
    work(writer);
  } finally {
    writer.close();
  }
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
}

test('results do not depend on how documents are divided into portions, and merging does not change them', (t) => {
  const sizes = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 });
  let run = 0;
  const root = temporaryFolder(t);
  fc.assert(
    fc.property(sizes, fc.integer(), (counts, seed) => {
      const [grown, whole] = [join(root, `grown-${++run}`), join(root, `whole-${run}`)];
      const portions = counts.map((count, i) => randomDocuments(seed + i, count, `p${i}-`));
      const all = portions.flat();
      for (const folder of [grown, whole]) makeIndex(folder, PARAMS, true);
      for (const documents of portions) addDocuments(grown, 'any', documents);
      addDocuments(whole, 'any', all);
      const asked = [...randomDocuments(seed - 1, 6, 'q'), ...all.slice(0, 6)];
      const check = (): void => {
        for (const document of asked) {
          const found = answers(grown, document, RULE);
          t.deepEqual(found, answers(whole, document, RULE));
          const plain = found.map((line) => line.replace(/ of any: ([0-9.]+) .*/, ' $1'));
          t.deepEqual(plain, expectedHits(all, document, RULE));
        }
        t.deepEqual(checkIndex(grown), { documents: all.length, removed: 0, problems: [] });
      };
      check();
      writing(grown, mergeFew);
      t.true(readIndexManifest(grown).segments.length <= 8);
      check();
      writing(grown, compact);
      t.true(readIndexManifest(grown).segments.length <= 1);
      check();
    }),
    { numRuns: 5 },
  );
});

test('an index with a removed portion has the results and about the size of one without it', (t) => {
  const root = temporaryFolder(t);
  const [with_, without] = [join(root, 'with'), join(root, 'without')];
  const [kept, gone, later] = [1, 2, 3].map((seed) => randomDocuments(seed, 300, `${seed}-`)) as [
    RandomDocument[],
    RandomDocument[],
    RandomDocument[],
  ];
  for (const folder of [with_, without]) {
    makeIndex(folder, PARAMS, true);
    addDocuments(folder, 'kept', kept);
    if (folder === with_) addDocuments(folder, 'gone', gone);
    addDocuments(folder, 'later', later);
  }
  const { number } = readIndexManifest(with_).portions[1]!;
  writing(with_, (writer) => {
    t.is(
      removeDocuments(writer, ({ portion }) => portion === number),
      300,
    );
  });
  const same = (): void => {
    for (const document of [...kept.slice(0, 5), ...gone.slice(0, 20), ...later.slice(0, 5)])
      t.deepEqual(answers(with_, document, RULE), answers(without, document, RULE));
  };
  same();
  t.deepEqual(checkIndex(with_), { documents: 600, removed: 300, problems: [] });
  writing(with_, compact);
  same();
  t.deepEqual(
    readIndexManifest(with_).portions.map(({ name }) => name),
    ['kept', 'later'],
  );
  t.true(bytesOf(with_) <= 1.2 * bytesOf(without));
});

test('a hit names the location, the id and the portion of the document', (t) => {
  const folder = join(temporaryFolder(t), 'index');
  makeIndex(folder, PARAMS, true);
  const [a, b] = [documentOf(randomHashes(40, 1), 'a'), documentOf(randomHashes(40, 2), 'bb')];
  addDocuments(folder, 'October', [a]);
  addDocuments(folder, 'November', [b]);
  const index = openedIndex(folder);
  const [hit] = lookUp(index.segments, documentOf(b.hashes, 'other'), RULE).hits;
  const record = hit!.segment.record(hit!.row);
  const names = hit!.segment.names(record);
  t.is(`${Buffer.from(names.id!)} ${Buffer.from(names.location)}`, 'id of bb bb');
  t.is(index.portion(record.portion).name, 'November');
  t.deepEqual([hit!.number, hit!.jaccard, hit!.kind], [1, 1, 'same-tokens']);
  t.is(lookUp(index.segments, b, RULE).hits[0]!.kind, 'identical');
  index.close();
});

test('a bucket that holds half of the index is compared up to the cap', (t) => {
  const folder = join(temporaryFolder(t), 'index');
  makeIndex(folder, PARAMS, true);
  const set = randomHashes(40, 1);
  const copies = Array.from({ length: 2000 }, (_, i) => documentOf(set, `copy ${i}`));
  addDocuments(folder, 'copies', copies.slice(0, 1500));
  addDocuments(folder, 'others', [...randomDocuments(9, 500, 'other'), ...copies.slice(1500)]);
  const index = openedIndex(folder);
  const { hits, candidates, isCapped } = lookUp(index.segments, copies[0]!, RULE);
  t.true(isCapped);
  t.is(candidates, RULE.cap);
  t.deepEqual(
    hits.map(({ number }) => number),
    [0, 1, 2, 3, 4, 5],
  );
  index.close();
});

test('if there are many candidates, those that share the most bands are compared', (t) => {
  const folder = join(temporaryFolder(t), 'index');
  makeIndex(folder, PARAMS, true);
  const asked = documentOf(randomHashes(40, 1), 'asked');
  const others = Array.from({ length: 1200 }, (_, i) => {
    const other = documentOf(randomHashes(40, 100 + i), `other ${i}`);
    return { ...other, keys: other.keys.map((key, band) => (band === i % 3 ? asked.keys[band]! : key)) };
  });
  addDocuments(folder, 'others', [...others, documentOf(asked.hashes, 'copy')]);
  const index = openedIndex(folder);
  const { hits, candidates, isCapped } = lookUp(index.segments, asked, { ...RULE, cap: 2000 });
  t.deepEqual([candidates, isCapped], [1024, true]);
  t.deepEqual(
    hits.map(({ number, kind }) => [number, kind]),
    [[1200, 'same-tokens']],
  );
  index.close();
});

test('looking up a segment equals looking up each of its documents', async (t) => {
  const root = temporaryFolder(t);
  const [folder, beside] = [join(root, 'index'), join(root, 'beside')];
  for (const made of [folder, beside]) makeIndex(made, PARAMS, true);
  for (const seed of [1, 2, 3]) addDocuments(folder, `${seed}`, randomDocuments(seed, 150, `${seed}-`));
  writing(folder, (writer) =>
    removeDocuments(writer, (_, names) => Buffer.from(names().location).toString().endsWith('7')),
  );
  const asked = randomDocuments(7, 100, 'asked-');
  addDocuments(beside, 'asked', asked);
  const [index, other] = [openedIndex(folder), openedIndex(beside)];
  for (const cap of [RULE.cap, 1000]) {
    const rule = { ...RULE, cap };
    const plain = ({ number, jaccard, kind }: IndexHit): string => `${number} ${jaccard} ${kind}`;
    const found = [];
    const looked = lookUpSegment(index, other.segments[0]!, rule, sortUnique64, async () => {});
    for await (const hits of looked) found.push(hits);
    const expected = asked.map((document) => lookUp(index.segments, document, rule).hits.map(plain));
    t.deepEqual(
      found.map(({ hits }) => hits.map(plain)),
      expected.filter((hits) => hits.length > 0),
    );
  }
  index.close();
  other.close();
});

test('a changed byte of any file is reported with the file, and never used', (t) => {
  const folder = join(temporaryFolder(t), 'index');
  makeIndex(folder, PARAMS, true);
  const documents = randomDocuments(4, 600, 'd');
  addDocuments(folder, 'all', documents);
  writing(folder, (writer) =>
    removeDocuments(writer, (_, names) => `${Buffer.from(names().location)}` === 'd7'),
  );
  const expected = documents.slice(0, 12).map((document) => answers(folder, document, RULE));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('about.txt'));
  t.is(files.length, 8);
  for (const path of files) {
    const bytes = readFileSync(path);
    for (const share of [0, 0.31, 0.77]) {
      const changed = Buffer.from(bytes);
      const at = Math.floor(share * bytes.length);
      changed[at] = changed[at]! ^ 0x20;
      writeFileSync(path, changed);
      const found = attempt(() => checkIndex(folder).problems);
      t.true(
        Array.isArray(found) ? found.some((problem) => problem.includes(path)) : isNamed(found, path),
        path,
      );
      for (const [i, document] of documents.slice(0, 12).entries()) {
        const answer = attempt(() => answers(folder, document, RULE));
        if (answer instanceof Error) t.true(isNamed(answer, folder), `${path}: ${answer}`);
        else t.deepEqual(answer, expected[i]);
      }
    }
    writeFileSync(path, bytes.subarray(0, -2));
    const cut = attempt(() => checkIndex(folder).problems);
    t.true(Array.isArray(cut) ? cut.length > 0 : isNamed(cut, path), path);
    writeFileSync(path, bytes);
  }
  t.deepEqual(checkIndex(folder).problems, []);
});

function attempt<T>(step: () => T): T | Error {
  try {
    return step();
  } catch (error) {
    return error as Error;
  }
}

function isNamed(error: unknown, path: string): boolean {
  return error instanceof MinHashError && error.code.startsWith('INDEX_') && error.message.includes(path);
}

test('there is one writer at a time, and a reader keeps the index that it opened', (t) => {
  const folder = join(temporaryFolder(t), 'index');
  makeIndex(folder, PARAMS, true);
  const documents = randomDocuments(4, 20, 'd');
  addDocuments(folder, 'one', documents);
  addDocuments(folder, 'two', documents);
  const reader = openedIndex(folder);
  writing(folder, (writer) => {
    t.throws(() => new IndexWriter(folder), { code: 'INDEX_LOCKED', message: new RegExp(`${process.pid}`) });
    removeDocuments(writer, () => true);
    compact(writer);
  });
  t.is(lookUp(reader.segments, documents[0]!, RULE).hits[0]!.kind, 'identical');
  reader.close();
  t.deepEqual(answers(folder, documents[0]!, RULE), []);
});

test('a folder without an index is an error, and so is one of another format', (t) => {
  const root = temporaryFolder(t, { 'full/file': 'x' });
  const folder = join(root, 'index');
  t.throws(() => openedIndex(folder), { code: 'INDEX_MISSING' });
  t.throws(() => new IndexWriter(folder), { code: 'INDEX_MISSING' });
  t.throws(() => makeIndex(join(root, 'full'), PARAMS, true), { code: 'INDEX_REFUSED' });
  const below = join(root, 'full', 'file', 'index');
  t.throws(() => makeIndex(below, PARAMS, true), { code: 'WRITE_FAILED', message: /full\/file\/index/ });
  makeIndex(folder, PARAMS, true);
  t.throws(() => makeIndex(folder, PARAMS, true), { code: 'INDEX_REFUSED' });
  writeIndexManifest(folder, { ...readIndexManifest(folder), procedure: 99 });
  t.throws(() => openedIndex(folder), { code: 'INDEX_MISMATCH', message: /procedure: 99 in the index/ });
});

test('parameters that differ are listed field by field', (t) => {
  const other = { ...PARAMS, threshold: 0.7, sketch: { ...PARAMS.sketch, seed: 5 } };
  t.deepEqual(differences(PARAMS, other), [
    'threshold: 0.6 in the index, 0.7 here',
    `sketch.seed: ${PARAMS.sketch.seed} in the index, 5 here`,
  ]);
  t.deepEqual(differences(PARAMS, PARAMS), []);
});

test('a full disk at any step leaves the index unchanged', (t) => {
  const folder = join(temporaryFolder(t), 'index');
  makeIndex(folder, PARAMS, true);
  const [old, added] = [randomDocuments(1, 30, 'old'), randomDocuments(2, 30, 'new')];
  addDocuments(folder, 'old', old);
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
  const before = added.map((document) => answers(folder, document, RULE));
  for (let left = 0, isDone = false; !isDone; left++) {
    let calls = 0;
    const full = <Rest extends unknown[], R>(step: (...rest: Rest) => R) => {
      return (...rest: Rest): R => {
        if (calls++ >= left) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        return step(...rest);
      };
    };
    const system = { ...NODE_FILES, open: full(NODE_FILES.open), write: full(NODE_FILES.write) };
    const work = attempt(() =>
      addDocuments(folder, 'new', added, { ...system, sync: full(NODE_FILES.sync) }),
    );
    isDone = !(work instanceof Error);
    if (isDone) break;
    t.true(work instanceof MinHashError && work.code === 'DISK_FULL', String(work));
    t.is(readFileSync(join(folder, 'manifest.json'), 'utf8'), manifest);
    t.deepEqual(
      added.map((document) => answers(folder, document, RULE)),
      before,
    );
    t.deepEqual(checkIndex(folder).problems, []);
  }
  t.is(readIndexManifest(folder).portions.length, 2);
});
