/**
 * Copies of inputs that are not files of this machine: addresses of S3 and of web servers, and pipes. They are copied to a temporary
 * folder before anything is read. Locations keep the address.
 *
 *      folder/s3/<bucket>/<key>   objects of S3, by the AWS SDK (an optional package that is loaded for the first address)
 *      folder/web/<hash>          a file of a web server
 *      folder/pipe/<hash>         the content of a pipe
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { S3Client } from '@aws-sdk/client-s3';
import { type ErrorCode, MinHashError, type Problem } from '../errors.js';
import { guardWrite, makeFolders, temporaryFolder, writeErrorOf } from '../store/files.js';
import { addressOf, shownAddress } from './list/addresses.js';

const PACKAGE = '@aws-sdk/client-s3';
/** Objects that are copied at the same time. */
const AT_ONCE = 16;
const ATTEMPTS = 5;
/** Milliseconds before the second attempt; the wait doubles with each. */
const FIRST_WAIT = 200;

/** The local copy of what an address names. */
export interface RemoteCopy {
  readonly path: string;
  /** Objects below the address that have no copy: the rest of the key, and the reason. */
  readonly missing: readonly (readonly [relative: string, code: ErrorCode])[];
}

/** Whether a file below a PATH is read; its relative path is a binary string. */
type IsWanted = (relative: string) => boolean;

type Signal = AbortSignal | undefined;

/** The copies of one list of inputs. */
export class RemoteCopies {
  readonly #signal: Signal;
  readonly #parent: string | undefined;
  #folder: string | null = null;
  readonly close = (): void => {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
    process.removeListener('exit', this.close);
  };

  /** @param parent the folder in which the temporary one is made; undefined: that of the system */
  constructor(signal: Signal, parent?: string) {
    this.#signal = signal;
    this.#parent = parent;
  }

  /**
   * Copies an address or a pipe. Unwanted and hidden objects become empty files, so that the walk counts them.
   *
   * @throws MinHashError INTERRUPTED, WRITE_FAILED, DISK_FULL
   */
  async copy(address: string, isWanted: IsWanted): Promise<RemoteCopy | Problem> {
    const parent = this.#parent;
    if (this.#folder === null) {
      if (parent !== undefined) guardWrite(parent, () => makeFolders(parent));
      this.#folder = temporaryFolder('remote', parent);
      process.once('exit', this.close);
    }
    const signal = this.#signal;
    try {
      if (address.startsWith('s3://')) return await copyOfS3(address, this.#folder, isWanted, signal);
      const isWeb = addressOf(address) !== null;
      const hash = createHash('sha256').update(address).digest('hex');
      const path = join(this.#folder, isWeb ? 'web' : 'pipe', hash);
      if (isWeb) await copyOfWeb(address, path, signal);
      else await write(path, createReadStream(address), signal);
      return { path, missing: [] };
    } catch (error) {
      if (signal?.aborted === true) throw failure('INTERRUPTED', '');
      const { code, detail } =
        error instanceof MinHashError
          ? error.problems[0]!
          : { code: 'REMOTE_FAILED' as const, detail: `${shownAddress(address)}: ${causeOf(error)}` };
      if (code !== 'PATH_MISSING' && !code.startsWith('REMOTE_')) throw error;
      return { code, detail };
    }
  }
}

function failure(code: ErrorCode, detail: string): MinHashError {
  return new MinHashError({ code, detail });
}

/** Tries again after errors of the connection and of the server; a MinHashError is final. */
async function retried<T>(shown: string, signal: Signal, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      signal?.throwIfAborted();
      return await attempt();
    } catch (error) {
      if (error instanceof MinHashError || signal?.aborted === true) throw error;
      const cause = causeOf(error);
      if (cause === NO_HOST) throw failure('REMOTE_FAILED', `${shown}: ${cause}`);
      if (count === ATTEMPTS) throw failure('REMOTE_FAILED', `${shown}: ${cause}, ${count} attempts`);
      await delay(FIRST_WAIT * 2 ** (count - 1), undefined, signal && { signal });
    }
  }
}

const NO_HOST = 'there is no such host';

/** The message of an error; of a connection that of its cause. */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const { message, code } = (inner ?? error) as NodeJS.ErrnoException;
  return code === 'ENOTFOUND' ? NO_HOST : message || code || String(error);
}

/** The error for a status of HTTP. A status that may pass is an Error, not a MinHashError. */
function statusError(status: number, shown: string, answer: string): Error {
  const detail = `${shown}: ${answer}`;
  if (status === 404 || status === 410) return failure('PATH_MISSING', detail);
  if (status === 401 || status === 403 || status === 407) return failure('REMOTE_DENIED', detail);
  const mayPass = status === 0 || status >= 500 || status === 408 || status === 429;
  return mayPass ? new Error(answer) : failure('REMOTE_FAILED', detail);
}

/**
 * Writes a file, with the time of its source: runs are compared by the times of their files, in whole seconds, 0 if it is not known. An error
 * of the source is passed on, an error of the file is WRITE_FAILED or DISK_FULL.
 */
async function write(
  path: string,
  body: Readable,
  signal: Signal,
  time?: Date,
  through: readonly Transform[] = [],
): Promise<void> {
  guardWrite(path, () => makeFolders(dirname(path)));
  const file = createWriteStream(path);
  let ofFile: unknown = null;
  file.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall !== undefined) ofFile = error;
  });
  try {
    await pipeline([body, ...through, file], { signal });
  } catch (error) {
    throw ofFile === null ? error : writeErrorOf(ofFile, path);
  }
  const seconds = Math.floor((time?.getTime() ?? 0) / 1000) || 0;
  utimesSync(path, seconds, seconds);
}

async function copyOfWeb(address: string, path: string, signal: Signal): Promise<void> {
  const shown = shownAddress(address);
  if (!URL.canParse(address))
    throw failure('PATH_MISSING', `${JSON.stringify(shown)} is not an address; expected https://HOST/FILE`);
  const url = new URL(address);
  const headers = new Headers({ 'accept-encoding': 'identity', 'user-agent': 'mr-minhash' });
  if (url.username !== '' || url.password !== '') {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    url.username = url.password = '';
  }
  await retried(shown, signal, async () => {
    const response = await fetch(url, { headers, ...(signal && { signal }) });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw statusError(response.status, shown, `the server answers ${response.status}`);
    }
    const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
    // `fetch` decodes what a server sends as gzip; the name of the file still ends in .gz.
    const isDecoded = response.headers.has('content-encoding') && /\.gz$/i.test(url.pathname);
    const time = new Date(response.headers.get('last-modified') ?? 0);
    await write(path, body, signal, time, isDecoded ? [createGzip({ level: 1 })] : []);
  });
}

type Sdk = typeof import('@aws-sdk/client-s3');

/** The package from where this one is installed, else from the working directory. */
function loadSdk(): Sdk {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  let reason = `npm install ${PACKAGE} brings it`;
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from)(PACKAGE) as Sdk;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') reason = (error as Error).message;
    }
  }
  throw failure('REMOTE_CLIENT_MISSING', reason);
}

/** A client for the bucket's region, to which servers redirect, or for the server of an endpoint. */
function s3Client(sdk: Sdk): S3Client {
  const { env } = process;
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const isAnonymous = /^(1|true|yes)$/i.test(env.AWS_NO_SIGN_REQUEST ?? '');
  return new sdk.S3Client({
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1',
    followRegionRedirects: true,
    // Compatible servers seldom have a host name for each bucket.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(isAnonymous && {
      signer: { sign: async (request) => request },
      credentials: { accessKeyId: '', secretAccessKey: '' },
    }),
    maxAttempts: ATTEMPTS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 30_000 },
  });
}

/** Names of errors about a user who is unknown or no longer valid. */
const OF_CREDENTIALS = /Credentials|AccessKeyId|Signature|Token|AuthorizationHeader|UnrecognizedClient/;

/** An error of the SDK after its own attempts. */
function s3Error(error: unknown, address: string): MinHashError {
  const { name, message, $metadata } = error as Error & { readonly $metadata?: { httpStatusCode?: number } };
  if (OF_CREDENTIALS.test(name) || /could not load credentials/i.test(message)) {
    const why = name === 'CredentialsProviderError' ? 'none were found' : name;
    return failure('REMOTE_CREDENTIALS', `${address}: ${why}`);
  }
  const status = $metadata?.httpStatusCode ?? 0;
  const isNamed = !/^(Unknown|UnknownError|Error|\d+)$/.test(name);
  const answer = status === 0 ? causeOf(error) : `${isNamed ? name : 'S3 answers'} (${status})`;
  const ofStatus = statusError(status, address, answer);
  return ofStatus instanceof MinHashError ? ofStatus : failure('REMOTE_FAILED', `${address}: ${answer}`);
}

/** Whether a part of a key can be the name of a file in the folder of copies. */
function isFileName(part: string): boolean {
  return !['', '.', '..'].includes(part) && !part.includes('\0') && Buffer.byteLength(part) <= 255;
}

async function copyOfS3(
  address: string,
  top: string,
  isWanted: IsWanted,
  signal: Signal,
): Promise<RemoteCopy> {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(address) ?? [];
  const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
  if (!`${bucket}/${prefix}x`.split('/').every(isFileName))
    throw failure('PATH_MISSING', `${JSON.stringify(address)}: expected s3://BUCKET/PREFIX`);
  const sdk = loadSdk();
  const client = s3Client(sdk);
  const options = { ...(signal && { abortSignal: signal }) };
  /** Null: it was copied; otherwise, why a server does not give it to this user. */
  const copyObject = async (name: string, to: string): Promise<MinHashError | null> => {
    const shown = `s3://${bucket}/${name}`;
    try {
      // The SDK repeats requests; a body that is cut off is read again.
      await retried(shown, signal, async () => {
        const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: name });
        const object = await client.send(command, options).catch((error: unknown) => {
          throw s3Error(error, shown);
        });
        await write(to, object.Body as Readable, signal, object.LastModified);
      });
      return null;
    } catch (error) {
      if (error instanceof MinHashError && (error.code === 'PATH_MISSING' || error.code === 'REMOTE_DENIED'))
        return error;
      throw error;
    }
  };
  const path = join(top, 's3', bucket, key);
  if (prefix !== key) {
    const error = await copyObject(key, path);
    if (error === null) return { path, missing: [] };
    if (error.code !== 'PATH_MISSING') throw error;
  }
  const names = new Set<string>();
  // Keys may hold characters that XML cannot. Keys that end in a slash represent folders.
  const listed = { Bucket: bucket, Prefix: prefix, EncodingType: 'url' } as const;
  try {
    for await (const page of sdk.paginateListObjectsV2({ client }, listed, options))
      for (const { Key = '' } of page.Contents ?? []) {
        const name = page.EncodingType === 'url' ? decodeURIComponent(Key.replaceAll('+', ' ')) : Key;
        if (!name.endsWith('/') && name.startsWith(prefix)) names.add(name.slice(prefix.length));
      }
  } catch (error) {
    throw s3Error(error, address);
  }
  if (names.size === 0 && key !== '')
    throw failure('PATH_MISSING', `${JSON.stringify(address)}: no object of that name, and none below it`);
  guardWrite(path, () => makeFolders(path));
  const folders = new Set<string>();
  for (const name of names)
    for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) folders.add(name.slice(0, at));
  const missing: [string, ErrorCode][] = [];
  const waiting = names.values();
  const copyNext = async (): Promise<void> => {
    for (const name of waiting) {
      const to = join(path, name);
      if (folders.has(name) || !name.split('/').every(isFileName)) missing.push([name, 'NOT_A_FILE']);
      else if (/(^|\/)\./.test(name) || !isWanted(Buffer.from(name).toString('latin1')))
        guardWrite(to, () => {
          makeFolders(dirname(to));
          writeFileSync(to, '');
        });
      else {
        const error = await copyObject(prefix + name, to);
        if (error !== null) missing.push([name, error.code === 'PATH_MISSING' ? 'VANISHED' : 'DENIED']);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyNext));
  return { path, missing };
}
