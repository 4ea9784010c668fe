/** Runs with --measure containment: documents that contain a text of the reference. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { verifyResult } from '../../../src/result/verifyResult.js';
import { type ShingleParams, shingleSet } from '../../../src/text/shingles.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { resultOf } from './finished.js';
import { resultBytes } from './resultFiles.js';

interface Made {
  readonly questions: readonly string[];
  readonly texts: readonly string[];
}

/** Training texts, the first `leaks` of which contain a question of 5 to 200 words, and some a part of one. */
function leakedTexts(leaks: number): Made {
  const random = randomFrom(17);
  const some = (least: number, most: number): string[] =>
    wordsFrom(random, least + Math.floor(random() * (most - least + 1)));
  const questions = Array.from({ length: 2 * leaks }, () => some(5, 200));
  const texts = Array.from({ length: 4 * leaks }, (_, i) => {
    const text = some(20, 300);
    const at = Math.floor(random() * text.length);
    const question = questions[i % questions.length]!;
    // Of others only the first third is there: less than the threshold.
    const part =
      i < leaks
        ? [`"${question[0]!.toUpperCase()}`, ...question.slice(1), '?"']
        : question.slice(0, question.length / 3);
    return [...text.slice(0, at), ...part, ...text.slice(at)].join(' ');
  });
  return { questions: questions.map((words) => words.join(' ')), texts };
}

const linesOf = (texts: readonly string[], prefix: string): string =>
  texts.map((text, i) => `${JSON.stringify({ id: `${prefix}${i}`, text })}\n`).join('');

async function containedRun(
  t: ExecutionContext,
  { questions, texts }: Made,
  options: RunOptions = {},
  inFiles = false,
) {
  const folder = temporaryFolder(t, { 'in/': '' });
  writeFileSync(join(folder, 'test.jsonl'), linesOf(questions, 'q'));
  writeFileSync(join(folder, 'train.jsonl'), linesOf(texts, 't'));
  const out = join(folder, 'out');
  const paths = [join(folder, 'train.jsonl')];
  const against = [join(folder, 'test.jsonl')];
  await run(
    { paths, against, out, measure: 'containment', threshold: 0.7, threads: 0, ...options },
    { inFiles },
  );
  return resultOf(out);
}

test('exactly the training texts that contain a test question are dropped', async (t) => {
  const leaks = 60;
  const { dropped, out, manifest, pairs } = await containedRun(t, leakedTexts(leaks));
  t.deepEqual(
    dropped.map(({ document, kept, containment }) => [document, kept, containment]),
    Array.from({ length: leaks }, (_, i) => [`t${i}`, `q${i}`, '1.000000']),
  );
  t.is(pairs.length, leaks);
  t.like(manifest.counts, {
    read: 240,
    kept: 180,
    dropped: leaks,
    reference_documents: 120,
    reference_matches: leaks,
  });
  t.deepEqual((await verifyResult(out)).problems, []);
});

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 1 };

const setOf = (text: string, bag: boolean): Set<string> => {
  const hashes = shingleSet(new TextEncoder().encode(text), { ...SHINGLE, bag });
  return new Set(
    Array.from({ length: hashes.length / 2 }, (_, i) => `${hashes[2 * i]} ${hashes[2 * i + 1]}`),
  );
};

/** Texts over few words, so that many are contained in others, and shingles repeat. */
function fewWords(count: number, most: number, seed: number): string[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => `w${Math.floor(random() * 6)}`).join(' '),
  );
}

for (const bag of [false, true])
  test(`the pairs are those of comparing all ${bag ? 'bags' : 'sets'}, and the best reference is named`, async (t) => {
    const questions = [...new Set(fewWords(60, 9, 3))];
    const texts = fewWords(80, 25, 4);
    const options = { shingle: 'words:2', bag, threshold: 0.55 };
    const { pairs, dropped } = await containedRun(t, { questions, texts }, options);
    const expected: string[] = [];
    const best = new Map<string, string>();
    const most = new Map<string, number>();
    const sets = texts.map((text) => setOf(text, bag));
    for (const [q, question] of questions.entries()) {
      const wanted = setOf(question, bag);
      for (const [i, set] of sets.entries()) {
        const common = [...wanted].filter((key) => set.has(key)).length;
        const containment = common / wanted.size;
        if (containment < 0.55) continue;
        const jaccard = common / (wanted.size + set.size - common);
        expected.push(
          [`q${q}`, `t${i}`, jaccard, containment, common / set.size]
            .map((cell) => (typeof cell === 'number' ? cell.toFixed(6) : cell))
            .join(),
        );
        if (containment <= (most.get(`t${i}`) ?? 0)) continue;
        most.set(`t${i}`, containment);
        best.set(`t${i}`, `q${q}`);
      }
    }
    t.true(expected.length > 100);
    t.deepEqual(
      pairs.map((row) => [row.a, row.b, row.jaccard, row.containment_a_in_b, row.containment_b_in_a].join()),
      expected,
    );
    t.deepEqual(
      new Map(dropped.map(({ document, kept }) => [document!, kept!])),
      new Map([...best].sort(([x], [y]) => Number(x.slice(1)) - Number(y.slice(1)))),
    );
  });

test('the bytes are the same on workers and with data in files', async (t) => {
  const made = leakedTexts(20);
  const bytes = resultBytes((await containedRun(t, made)).out);
  t.deepEqual(resultBytes((await containedRun(t, made, { threads: 2 })).out), bytes);
  t.deepEqual(resultBytes((await containedRun(t, made, {}, true)).out), bytes);
});

test('text files of the reference and of the corpus are read in separate tasks', async (t) => {
  const folder = temporaryFolder(t, {
    'train/a.txt': 'before the quick brown fox jumps over the lazy dog after',
    'train/b.txt': 'something else altogether',
    'test/q.txt': 'The quick brown fox jumps over the lazy dog.',
    'test/short.txt': 'two words',
  });
  const out = join(folder, 'out');
  const report = await run({
    ...{ paths: [join(folder, 'train')], against: [join(folder, 'test')], out, threads: 0 },
    ...{ measure: 'containment', threshold: 0.9 },
  });
  t.deepEqual(
    resultOf(out).dropped.map(({ document, kept }) => [document, kept]),
    [['train/a.txt', 'test/q.txt']],
  );
  t.is(report.counts.reference_short, 1);
});

test('containment without --against is rejected with what to use instead', async (t) => {
  const error = await t.throwsAsync(run({ paths: ['x'], measure: 'containment' }), {
    code: 'OPTION_INVALID',
  });
  t.regex(error!.message, /against REFERENCE.* use compare.* use query/);
});
