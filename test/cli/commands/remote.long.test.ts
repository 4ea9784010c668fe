/**
 * The program over inputs on other machines: an S3 server and a web server in this process, the program in one of its own.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));
// What the client says about versions of Node is not about these tests.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

interface Said {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Starting {
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** What comes on standard input. */
  readonly input?: string | Buffer;
}

function program(
  cwd: string,
  argv: readonly string[],
  { environment = KEYS, signal, input = '' }: Starting = {},
): Promise<Said> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  const env = {
    ...Object.fromEntries(kept),
    AWS_EC2_METADATA_DISABLED: 'true',
    ...environment,
    NO_COLOR: '1',
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...argv],
      // One that waits without end is not left behind.
      { cwd, env, signal, killSignal: 'SIGKILL', timeout: 120_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr });
      },
    );
    // A command that asks for none may be gone before it came.
    child.stdin!.on('error', () => {}).end(input);
  });
}

/** 120 small texts, JSON lines, compressed or not, and names that a listing skips or escapes. */
function corpus(): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const words = (seed: number): string =>
    Array.from({ length: 40 }, (_, i) => `w${(seed * 31 + i * i) % 997}`).join(' ');
  for (let i = 0; i < 120; i++) files.set(`texts/${i % 7}/${i}.txt`, Buffer.from(words(i % 50) + (i % 3)));
  const lines = Array.from({ length: 200 }, (_, i) => JSON.stringify({ id: `r${i}`, text: words(i % 90) }));
  files.set('records.jsonl', Buffer.from(lines.join('\n')));
  files.set(
    'table.parquet',
    readFileSync(new URL('../../../../test/data/parquet/snappy.parquet', import.meta.url)),
  );
  files.set('packed.jsonl.gz', gzipSync(lines.slice(0, 50).join('\n').replaceAll('"r', '"p')));
  files.set('array.json', Buffer.from(`[${lines.slice(50, 90).join(',').replaceAll('"r', '"a')}]`));
  files.set('ü +%41&.txt', Buffer.from(words(500)));
  files.set('empty.txt', Buffer.alloc(0));
  files.set('.hidden/a.txt', Buffer.from('hidden'));
  files.set('left/out.md', Buffer.from('left out'));
  return files;
}

interface S3Server {
  readonly endpoint: string;
}

/** What the package of that server has, which brings no types. */
type S3rver = new (
  options: Readonly<Record<string, unknown>>,
) => {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
};

async function s3Server(t: ExecutionContext, files: ReadonlyMap<string, Buffer>): Promise<S3Server> {
  const Rver = createRequire(import.meta.url)('s3rver') as S3rver;
  const instance = new Rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: temporaryFolder(t) },
    configureBuckets: [{ name: 'corpus', configs: [] }],
  });
  const { port } = await instance.run();
  t.teardown(() => instance.close());
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    ...{ endpoint, forcePathStyle: true, region: 'us-east-1', requestChecksumCalculation: 'WHEN_REQUIRED' },
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });
  const put = ([name, Body]: [string, Buffer]): Promise<unknown> =>
    client.send(new PutObjectCommand({ Bucket: 'corpus', Key: `in/${name}`, Body }));
  await Promise.all([...files].map(put));
  client.destroy();
  return { endpoint };
}

/** All files of a result that follow from the inputs, by name. */
function resultIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => name.endsWith('.tsv'));
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

test.serial('every command reads objects of a server like the same files', async (t) => {
  const files = corpus();
  const names = [...files].map(([name, bytes]) => [`in/${Buffer.from(name).toString('latin1')}`, bytes]);
  const folder = temporaryFolder(t, Object.fromEntries(names));
  const { endpoint } = await s3Server(t, files);
  const scratch = temporaryFolder(t);
  const environment = { ...KEYS, AWS_ENDPOINT_URL_S3: endpoint, TMPDIR: scratch };
  // One line that the corpus holds, and one that it does not.
  const input = `${files.get('records.jsonl')!.toString().split('\n')[3]}\n${JSON.stringify({ id: 'new', text: 'unlike all '.repeat(9) })}\n`;
  const both = async (argv: (at: string, name: string) => string[]): Promise<[Said, Said]> => {
    const [here, there] = await Promise.all([
      program(folder, argv('in', 'here'), { input }),
      program(folder, argv('s3://corpus/in', 'there'), { environment, input }),
    ]);
    t.is(here.code, 0, here.stderr);
    t.is(there.code, 0, there.stderr);
    return [here, there];
  };
  const same = async (argv: (at: string) => string[]): Promise<void> => {
    const [here, there] = await both(argv);
    const [shown, expected] = [there, here].map(({ stdout }) =>
      stdout.replace(/"readMilliseconds":[^,]*/, ''),
    );
    t.is(shown, expected);
    t.true(there.stdout.length > 50);
  };
  await same((at) => ['compare', 'texts/1/1.txt', 'texts/3/52.txt', '--in', at, '--json']);
  await same((at) => ['query', `${at}/texts/1/1.txt`, at, '--quiet', '--threads', '1']);
  await same((at) => ['filter', '--against', at, '-q']);
  await same((at) => ['tune', at, '--compare', '16x8', '--json', '--exclude', '*.gz']);
  await both((at, name) => ['run', at, '--out', name, '--exclude', '*.md', '--exclude', '*.parquet', '-q']);
  t.deepEqual(resultIn(join(folder, 'there')), resultIn(join(folder, 'here')));
  t.false(existsSync(join(folder, 'there/.work')));
  const [, dropped] = readFileSync(join(folder, 'here/duplicates.tsv'), 'utf8').split('\n');
  const [document, kept] = dropped!.split('\t') as [string, string];
  await same((at) => ['inspect', at === 'in' ? 'here' : 'there', '--pair', kept, document]);
  await both((_, name) => ['apply', name, '--to', `${name}-clean`, '-q']);
  const cleaned = (name: string): unknown =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name: file }) => join(parentPath, file))
      .sort()
      .map((path) => [path.replace(name, ''), readFileSync(path, 'latin1')]);
  t.deepEqual(cleaned('there-clean'), cleaned('here-clean'));
  t.true(readFileSync(join(folder, 'there/duplicates.tsv'), 'utf8').split('\n').length > 100);
  const link = await program(folder, ['apply', 'there', '--to', 'linked', '--link'], { environment });
  t.is(link.code, 2);
  t.regex(link.stderr, /a file of a server has no hard links/);
  await program(folder, ['run', 's3://corpus/in/table.parquet', '--out', 'rows', '-q'], { environment });
  const rows = await program(folder, ['apply', 'rows', '--to', 'rows-clean'], { environment });
  t.is(rows.code, 0, rows.stderr);
  // Nothing is left of what was fetched.
  t.deepEqual(readdirSync(scratch), []);
});

test.serial('an address that cannot be copied ends a run before it begins', async (t) => {
  const { endpoint } = await s3Server(t, new Map([['one.txt', Buffer.from('one')]]));
  const folder = temporaryFolder(t);
  const ask = (path: string, environment: NodeJS.ProcessEnv = KEYS): Promise<Said> =>
    program(folder, ['run', path, '--dry-run'], {
      environment: { ...environment, AWS_ENDPOINT_URL_S3: endpoint },
    });
  const [file, gone, bucket, unknown, wrong] = await Promise.all([
    ask('s3://corpus/in/one.txt'),
    ask('s3://corpus/in/on'),
    ask('s3://nothing/in'),
    ask('s3://corpus/in', {}),
    ask('s3://corpus/in', { ...KEYS, AWS_ACCESS_KEY_ID: 'NOBODY' }),
  ]);
  t.regex(file.stdout, /1 file, 3 bytes/);
  t.regex(
    gone.stderr,
    /PATH does not exist.*"s3:\/\/corpus\/in\/on": no object of that name, and none below it/,
  );
  t.regex(bucket.stderr, /PATH does not exist.*NoSuchBucket/);
  t.regex(
    unknown.stderr,
    /server needs credentials.*none were found\n.*AWS_ACCESS_KEY_ID.*AWS_NO_SIGN_REQUEST=1/,
  );
  t.regex(wrong.stderr, /server needs credentials.*InvalidAccessKeyId/);
  t.deepEqual(
    [gone, bucket, unknown, wrong].map(({ code }) => code),
    [2, 2, 2, 2],
  );
});

test.serial('the secrets of an address are not in messages, ids or results', async (t) => {
  const lines = Array.from({ length: 60 }, (_, i) =>
    JSON.stringify({ text: `a line of ${i % 20} words that come again` }),
  );
  const bytes = Buffer.from(lines.join('\n'));
  const server = createServer(({ headers, url }, response) => {
    if (headers.authorization !== `Basic ${btoa('me:hush')}` || !url!.endsWith('sig=shush')) {
      response.writeHead(403).end();
      return;
    }
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}/a%20b.jsonl`;
  const folder = temporaryFolder(t, { 'a b.jsonl': bytes });
  const address = `http://me:hush@${place}?sig=shush`;
  const [here, there, denied] = await Promise.all([
    program(folder, ['run', 'a b.jsonl', '--out', 'here', '-q']),
    program(folder, ['run', address, '--out', 'there', '--threads', '0']),
    program(folder, ['run', `http://${place}?sig=shush`, '--out', 'none']),
  ]);
  t.deepEqual([here.code, there.code, denied.code], [0, 0, 2], there.stderr);
  t.deepEqual(resultIn(join(folder, 'there')), resultIn(join(folder, 'here')));
  t.regex(denied.stderr, /denies access.*a%20b.jsonl: the server answers 403/);
  const written = readdirSync(join(folder, 'there'), { recursive: true, withFileTypes: true });
  const texts = written
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  t.false([there.stdout, there.stderr, denied.stderr, ...texts].some((text) => /hush/.test(text)));
});
