import test from 'ava';
import { MinHashError } from '../../../src/errors.js';
import {
  addressOf,
  isRemote,
  placeOfAddress,
  shownAddress,
} from '../../../src/readers/bytes/remote/addresses.js';
import {
  announceInputs,
  closeInput,
  lookAtInput,
  openInput,
  readFault,
  readInto,
  readNextLater,
  readWholeFile,
  sizeOf,
} from '../../../src/readers/bytes/wholeFiles.js';
import { bytesOfServer, webServer } from '../../data/webServer.js';

const SIZE = 1_300_000;
const CONTENT = bytesOfServer(SIZE);

function opened(path: string): number {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') throw new Error(descriptor);
  return descriptor;
}

test('a file of a server is read by position and in sequence as one of this machine', async (t) => {
  const { url } = await webServer(t);
  for (const kind of ['ranges', 'whole', 'moved', 'failing', 'cut']) {
    const descriptor = opened(`${url}/${kind}/${SIZE}`);
    t.is(sizeOf(descriptor), SIZE, kind);
    const held = Buffer.alloc(SIZE + 1);
    t.is(readInto(descriptor, held, 0, null), SIZE, kind);
    t.true(held.subarray(0, SIZE).equals(CONTENT), kind);
    for (const position of [SIZE - 1, 0, 700_000, 262_143, SIZE]) {
      const piece = Buffer.alloc(1000);
      const end = readInto(descriptor, piece, 0, position);
      t.true(
        piece.subarray(0, end).equals(CONTENT.subarray(position, position + 1000)),
        `${kind} ${position}`,
      );
    }
    closeInput(descriptor);
  }
});

test('a part of a file is read without the rest, and a stream without holding up the thread', async (t) => {
  const { url } = await webServer(t);
  const part = openInput(`${url}/ranges/${SIZE}`, { from: 900_000, to: 1_000_000 }) as number;
  const piece = Buffer.alloc(100_000);
  t.is(readInto(part, piece, 0, 900_000), 100_000);
  t.true(piece.equals(CONTENT.subarray(900_000, 1_000_000)));
  closeInput(part);
  const stream = opened(`${url}/ranges/${SIZE}`);
  const pieces: Buffer[] = [];
  for (;;) {
    const next = Buffer.alloc(100_000);
    const end = await readNextLater(stream, next);
    if (end === 0) break;
    pieces.push(next.subarray(0, end));
  }
  closeInput(stream);
  t.true(Buffer.concat(pieces).equals(CONTENT));
});

test('what is wrong with one file is told by a code, what is wrong with a server ends the run', async (t) => {
  const { url } = await webServer(t);
  t.is(openInput(`${url}/gone/10`), 'VANISHED');
  t.is(openInput(`${url}/denied/10`), 'DENIED');
  t.is(lookAtInput(Buffer.from(`${url}/gone/10`)), null);
  const changing = opened(`${url}/changing/${SIZE}`);
  t.is(readInto(changing, Buffer.alloc(SIZE), 0, null), -1);
  t.is(readFault(changing), 'CHANGED');
  closeInput(changing);
  const empty = opened(`${url}/ranges/0`);
  t.is(readInto(empty, Buffer.alloc(10), 0, null), 0);
  closeInput(empty);
  const error = t.throws(() => openInput(`${url}/broken/10?sig=secret`), { instanceOf: MinHashError });
  t.is(error?.code, 'REMOTE_FAILED');
  t.regex(error!.message, /broken\/10: the server answers 503, 5 tries/);
  t.notRegex(error!.message, /secret/);
});

test('announced files are fetched side by side, each once', async (t) => {
  const server = await webServer(t);
  const files = Array.from({ length: 40 }, (_, i) => ({
    path: Buffer.from(`${server.url}/slow/${i + 100}/${i}`),
    size: i + 100,
    most: 1000,
  }));
  announceInputs(files);
  for (const { path, size: bytes } of files) {
    const whole = readWholeFile({ path, bytes }, 1000, new Uint8Array(1000));
    t.true(typeof whole !== 'string' && CONTENT.subarray(0, bytes).equals(whole));
  }
  const { asked, most } = server.counts();
  t.is(asked, 40);
  t.true(most > 1 && most <= 16, `${most}`);
});

test('addresses are told apart from paths, and shown without what opens doors', (t) => {
  t.deepEqual(['s3a://b/k', 'S3N://b/K', 'HTTPS://h/A', 'gs://b', '/s3://b', 's3:/b'].map(addressOf), [
    's3://b/k',
    's3://b/K',
    'https://h/A',
    null,
    null,
    null,
  ]);
  t.true(isRemote(Buffer.from('s3://b/k')) && isRemote('http://h') && isRemote('https://h'));
  t.false(isRemote('/http://h') || isRemote('s3:/b') || isRemote('') || isRemote('sums.txt'));
  t.is(shownAddress('https://u:p@h/a?x=1#top'), 'https://h/a?x=1');
  t.is(shownAddress('https://h/a?x=1&X-Amz-Signature=2'), 'https://h/a');
  t.is(shownAddress('https://h/a?sv=1&sig=2'), 'https://h/a');
  t.is(placeOfAddress('https://u@h/a%20b/c%20d.txt?x=1'), 'https://h/a%20b/c d.txt');
  t.is(placeOfAddress('https://h/a%2fb'), 'https://h/a%2fb');
  t.is(placeOfAddress('s3://b/a?b%20c/'), 's3://b/a?b%20c');
});
