/** Files that are replaced, grow, shrink or vanish between the listing and the first reading. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { fileListOf } from '../../../src/readers/list/fileTable.js';
import { listInputs } from '../../../src/readers/list/inputs.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { readSource } from '../../readers/list/fileTables.js';
import { RecordingSink, readParams } from '../../readers/recordingSink.js';
import { prepared } from '../runs/finished.js';

const PAGE = wordsFrom(randomFrom(24), 100).join(' ');
const PARAMS = { ...readParams(), textFieldGiven: false, include: [], exclude: [] };

/** Lists one file, lets `change` happen, and reads what was listed. */
async function readAfter(
  folder: string,
  name: string,
  content: string | Uint8Array,
  change: (path: string) => void,
) {
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, content);
  const { files } = await listInputs({ paths: [path], outFolder: null, params: PARAMS });
  change(path);
  const sink = new RecordingSink();
  const list = fileListOf(files, Uint32Array.of(0));
  const file = files.file(0);
  if (name.endsWith('.jsonl')) {
    readSource({ kind: 'range', file, index: 0, from: 0, to: file.bytes }, readParams(), sink);
  } else readSource({ kind: 'files', list }, readParams(), sink);
  rmSync(path, { recursive: true, force: true });
  return sink;
}

const replaced = (by: (path: string) => void) => (path: string) => {
  rmSync(path);
  by(path);
};
const CHANGES = {
  vanished: (path: string) => rmSync(path),
  folder: replaced((path) => mkdirSync(path)),
  pipe: replaced((path) => execFileSync('mkfifo', [path])),
  'null device': replaced((path) => symlinkSync('/dev/null', path)),
  'endless device': replaced((path) => symlinkSync('/dev/zero', path)),
  loop: replaced((path) => symlinkSync(path, path)),
};
/** Reports about a text, a JSON file, a compressed text, and lines. */
const EXPECTED: Readonly<Record<keyof typeof CHANGES, readonly string[]>> = {
  vanished: ['VANISHED', 'VANISHED', 'VANISHED', 'VANISHED'],
  folder: ['UNREADABLE', 'NOT_A_FILE', 'NOT_A_FILE', 'UNREADABLE'],
  pipe: ['NOT_A_FILE', 'NOT_A_FILE', 'NOT_A_FILE', 'UNREADABLE'],
  'null device': ['NOT_A_FILE', 'NOT_A_FILE', 'NOT_A_FILE', 'CHANGED'],
  'endless device': ['NOT_A_FILE', 'NOT_A_FILE', 'NOT_A_FILE', 'BINARY'],
  loop: ['UNREADABLE', 'UNREADABLE', 'UNREADABLE', 'UNREADABLE'],
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`a file in whose place a ${what} is when it is read is named`, async (t) => {
    const folder = temporaryFolder(t);
    const line = JSON.stringify({ text: PAGE });
    const contents = { 'a.txt': PAGE, 'a.json': line, 'a.txt.gz': gzipSync(PAGE), 'a.jsonl': `${line}\n` };
    const codes: string[] = [];
    for (const [name, content] of Object.entries(contents)) {
      const { skips, documents } = await readAfter(folder, name, content, change);
      t.deepEqual(documents, []);
      codes.push(skips.map(({ code }) => code).join());
    }
    t.deepEqual(codes, EXPECTED[what as keyof typeof CHANGES]);
  });
}

test('a text that grows or shrinks before it is read is read with its new content', async (t) => {
  const folder = temporaryFolder(t);
  const grow = (path: string): void => appendFileSync(path, ' and more');
  const shrink = (path: string): void => truncateSync(path, 10);
  t.deepEqual((await readAfter(folder, 'a.txt', PAGE, grow)).texts, [`${PAGE} and more`]);
  t.deepEqual((await readAfter(folder, 'a.txt', PAGE, shrink)).texts, [PAGE.slice(0, 10)]);
  t.deepEqual((await readAfter(folder, 'a.txt', PAGE, (path) => truncateSync(path, 0))).texts, ['']);
});

for (const threads of [0, 2]) {
  test(`lines that are cut off while the run reads them end it by name, with ${threads} threads`, async (t) => {
    // More batches than are read ahead, so that some are still to be read when the first is done.
    const record = (i: number): string => JSON.stringify({ id: `r${i}`, text: `${i} `.repeat(20_000) });
    const lines = Array.from({ length: 400 }, (_, i) => record(i)).join('\n');
    const { options, inputs } = prepared(t, { 'x.jsonl': lines });
    const path = join(inputs, 'x.jsonl');
    t.true(statSync(path).size > 7 * (4 << 20));
    let cut = false;
    const onProgress = (): void => {
      if (!cut) truncateSync(path, lines.indexOf('\n') + 1);
      cut = true;
    };
    const error = await t.throwsAsync(run({ threads, verify: 'signature', ...options }, { onProgress }), {
      instanceOf: MinHashError,
    });
    t.is(error.problems[0]!.code, 'INPUT_LOST');
    t.regex(error.message, /x\.jsonl/);
    t.false(existsSync(options.out));
  });
}
