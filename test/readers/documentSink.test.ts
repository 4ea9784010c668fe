/** A record that --max-document allows and memory has no room for ends the run, whatever holds it; it is never left out. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { lineLimit, readBuffers } from '../../src/readers/documentSink.js';
import { inputFile, temporaryFolder } from '../data/temporaryFolder.js';
import { listOf, readSource } from './list/fileTables.js';
import { RecordingSink, readParams } from './recordingSink.js';

const WORDS = 'some words of a text '.repeat(20_000);
const FILES = {
  'a.jsonl': `{"text":"a"}\n{"text":"${WORDS}"}\n{"text":"${WORDS}${WORDS}"}\n`,
  'a.json': `[{"text":"a"},{"text":"${WORDS}"}]`,
  'a.json.gz': gzipSync(`[{"text":"a"},{"text":"${WORDS}"}]`),
  'a.html': `<!doctype html><title>a</title><p>${WORDS}`,
  'a.txt.gz': gzipSync(WORDS),
};
const ROOM = { record: 10_000 };

for (const name of Object.keys(FILES) as (keyof typeof FILES)[]) {
  test(`${name}: too large for memory, not for --max-document`, (t) => {
    const top = temporaryFolder(t, FILES);
    const file = inputFile(`${top}/${name}`);
    const source =
      name === 'a.jsonl'
        ? ({ kind: 'range', file, index: 0, from: 0, to: file.bytes } as const)
        : ({ kind: 'files', list: listOf([file]) } as const);
    const read = (params: Parameters<typeof readParams>[0]): RecordingSink => {
      const sink = new RecordingSink();
      readSource(source, readParams(params), sink, readBuffers(64));
      return sink;
    };
    const wanted = read({});
    t.true(wanted.documents.length > 0);
    const error = t.throws(() => read({ room: ROOM }), { instanceOf: MinHashError });
    t.is(error.code, 'MEMORY_RECORD');
    t.deepEqual(read({ room: { record: 3e6 } }).documents, wanted.documents);
  });
}

test('JSON around a text of the longest size is read, six times as long where that is short', (t) => {
  for (const maxDocument of [0, 1, 1e6, 1e9, 2e9]) {
    const limit = lineLimit({ maxDocument });
    t.true(limit >= Math.min(maxDocument + (1 << 20), 2e9) && limit <= 2e9);
  }
  t.is(lineLimit({ maxDocument: 1e6 }), 6e6 + (1 << 20));
});
