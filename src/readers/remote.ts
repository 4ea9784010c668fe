/**
 * Copies of inputs on other machines, and of pipes: what an address names is copied to a temporary folder before anything is read, and
 * is local from then on. Locations keep the address.
 *
 *      folder/s3/<bucket>/<key>   objects of S3, by the client of AWS (optional, loaded for the first address)
 *      folder/web/<hash>          a file of a web server
 *      folder/pipe/<hash>         what a pipe held
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { _Object, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { type ErrorCode, type Fault, MinHashError } from '../errors.js';
import { guardWrite, makeFolders, temporaryFolder, writeErrorOf } from '../store/files.js';
import { addressOf, s3Place, shownAddress } from './list/addresses.js';

const PACKAGE = '@aws-sdk/client-s3';
/** Objects that are copied at the same time, and attempts to copy one, with waits that double. */
const AT_ONCE = 16;
const ATTEMPTS = 5;
const FIRST_WAIT = 200;

/** The local copy of what an address names. */
export interface RemoteCopy {
  readonly path: string;
  readonly isFolder: boolean;
  /** Objects below the address that have no copy: the rest of the key, and the reason. */
  readonly missing: readonly (readonly [relative: string, code: ErrorCode])[];
}

/** Whether a file below a PATH is read; its relative path is a binary string. */
type IsWanted = (relative: string) => boolean;

/** A failure that another attempt may not have. */
class Passing extends Error {}

function failure(code: ErrorCode, detail: string): MinHashError {
  return new MinHashError({ code, detail });
}

/** The copies of one list of inputs. */
export class RemoteCopies {
  readonly #signal: AbortSignal | undefined;
  readonly #parent: string | undefined;
  #folder: string | null = null;
  readonly close = (): void => {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
    process.removeListener('exit', this.close);
  };

  /** @param parent the folder in which the temporary one is made; undefined: that of the system */
  constructor(signal: AbortSignal | undefined, parent?: string) {
    this.#signal = signal;
    this.#parent = parent;
  }

  /**
   * Copies what an address names, or a pipe holds. Objects that are not wanted, and hidden ones, become empty files, so that a walk counts them.
   *
   * @throws MinHashError INTERRUPTED, WRITE_FAILED, DISK_FULL
   */
  async copy(address: string, isWanted: IsWanted): Promise<RemoteCopy | Fault> {
    if (this.#folder === null) {
      const parent = this.#parent;
      if (parent !== undefined) guardWrite(parent, () => makeFolders(parent));
      this.#folder = temporaryFolder('remote', parent);
      process.once('exit', this.close);
    }
    try {
      if (address.startsWith('s3://')) return await this.#copyS3(address, join(this.#folder, 's3'), isWanted);
      const hash = createHash('sha256').update(address).digest('hex');
      if (addressOf(address) === null) {
        const path = join(this.#folder, 'pipe', hash);
        await write(path, createReadStream(address), this.#signal);
        return { path, isFolder: false, missing: [] };
      }
      const path = join(this.#folder, 'web', hash);
      await this.#attempts(shownAddress(address), () => copyOfWeb(address, path, this.#signal));
      return { path, isFolder: false, missing: [] };
    } catch (error) {
      this.#refuseStopped();
      if (!(error instanceof MinHashError))
        return { code: 'REMOTE_FAILED', detail: shownError(address, error) };
      const [{ code, detail }] = error.faults as [Fault];
      if (code === 'VANISHED') return { code: 'PATH_MISSING', detail };
      if (code === 'DENIED') return { code: 'REMOTE_DENIED', detail };
      if (code.startsWith('REMOTE_') || code === 'PATH_MISSING') return { code, detail };
      throw error;
    }
  }

  #refuseStopped(): void {
    if (this.#signal?.aborted === true) throw failure('INTERRUPTED', '');
  }

  /** @throws MinHashError REMOTE_FAILED after the last attempt; any error that another attempt would not change, at once */
  async #attempts<T>(shown: string, attempt: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count++) {
      this.#refuseStopped();
      try {
        return await attempt();
      } catch (error) {
        this.#refuseStopped();
        if (error instanceof MinHashError) throw error;
        const told = shownError(shown, error);
        if (!(error instanceof Passing) || count === ATTEMPTS)
          throw failure('REMOTE_FAILED', count === 1 ? told : `${told}, ${count} attempts`);
        await new Promise((resolve) =>
          setTimeout(resolve, FIRST_WAIT * 2 ** (count - 1) * (0.5 + Math.random())),
        );
      }
    }
  }

  async #copyS3(address: string, top: string, isWanted: IsWanted): Promise<RemoteCopy> {
    const { bucket, key } = s3Place(address);
    const prefix = key === '' || key.endsWith('/') ? key : `${key}/`;
    if (bucket === '' || !isFileName(bucket) || !`${prefix}x`.split('/').every(isFileName))
      throw failure('PATH_MISSING', `${JSON.stringify(address)}: expected s3://BUCKET/PREFIX`);
    const server = await connected();
    const copyObject = (name: string, path: string): Promise<void> =>
      this.#attempts(`s3://${bucket}/${name}`, () => copyOfObject(server, bucket, name, path, this.#signal));
    const path = join(top, bucket, key);
    if (prefix !== key) {
      try {
        await copyObject(key, path);
        return { path, isFolder: false, missing: [] };
      } catch (error) {
        if (!(error instanceof MinHashError) || error.code !== 'VANISHED') throw error;
      }
    }
    const objects = await this.#attempts(address, () =>
      objectsBelow(server, address, bucket, prefix, this.#signal),
    );
    if (objects.size === 0 && key !== '')
      throw failure('PATH_MISSING', `${JSON.stringify(address)}: no object of that name, and none below it`);
    guardWrite(path, () => makeFolders(path));
    const folders = foldersOf(objects.keys());
    const missing: [string, ErrorCode][] = [];
    const waiting = objects.entries();
    const copyNext = async (): Promise<void> => {
      for (const [relative, time] of waiting) {
        const to = join(path, relative);
        if (folders.has(relative) || !relative.split('/').every(isFileName))
          missing.push([relative, 'NOT_A_FILE']);
        else if (/(^|\/)\./.test(relative) || !isWanted(Buffer.from(relative).toString('latin1')))
          writeEmpty(to);
        else {
          try {
            await copyObject(prefix + relative, to);
            utimesSync(to, time / 1000, time / 1000);
          } catch (error) {
            const code = error instanceof MinHashError ? error.code : null;
            if (code !== 'VANISHED' && code !== 'DENIED') throw error;
            rmSync(to, { force: true });
            missing.push([relative, code]);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, copyNext));
    return { path, isFolder: true, missing };
  }
}

/** Whether a part of a key can be the name of a file, and of none outside the folder of copies. */
function isFileName(part: string): boolean {
  return !['', '.', '..'].includes(part) && !part.includes('\0') && Buffer.byteLength(part) <= 255;
}

/** The folders that keys are in. */
function foldersOf(keys: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const key of keys) {
    for (
      let end = key.lastIndexOf('/');
      end > 0 && !folders.has(key.slice(0, end));
      end = key.lastIndexOf('/', end - 1)
    )
      folders.add(key.slice(0, end));
  }
  return folders;
}

function writeEmpty(path: string): void {
  guardWrite(path, () => {
    makeFolders(dirname(path));
    writeFileSync(path, '');
  });
}

/** Writes a file. An error of the source is passed on, an error of the file is WRITE_FAILED or DISK_FULL. */
async function write(
  path: string,
  body: Readable,
  signal: AbortSignal | undefined,
  packs = false,
): Promise<void> {
  guardWrite(path, () => makeFolders(dirname(path)));
  const file = createWriteStream(path);
  let writing: unknown = null;
  file.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall !== undefined) writing = error;
  });
  try {
    if (packs) await pipeline(body, createGzip({ level: 1 }), file, { signal });
    else await pipeline(body, file, { signal });
  } catch (error) {
    if (writing !== null) throw writeErrorOf(writing, path);
    throw new Passing(shownCause(error), { cause: error });
  }
}

/** The cause of an error of a connection, in its own words. */
function shownCause(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const { message, code } = (inner ?? error) as NodeJS.ErrnoException;
  return code === 'ENOTFOUND' ? 'there is no such host' : message || code || String(error);
}

function shownError(address: string, error: unknown): string {
  return `${shownAddress(address)}: ${error instanceof Error ? error.message : String(error)}`;
}

/** Whether a status of HTTP means that another attempt may help. */
function isPassing(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/** What a status of HTTP means for an object. */
function statusError(status: number, shown: string, words: string): Error {
  if (status === 404 || status === 410) return failure('VANISHED', `${shown}: ${words}`);
  if (status === 401 || status === 403 || status === 407) return failure('DENIED', `${shown}: ${words}`);
  return isPassing(status) ? new Passing(words) : failure('REMOTE_FAILED', `${shown}: ${words}`);
}

async function copyOfWeb(address: string, path: string, signal: AbortSignal | undefined): Promise<void> {
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
  let response: Response;
  try {
    response = await fetch(url, { headers, ...(signal && { signal }) });
  } catch (error) {
    const told = shownCause(error);
    // Names that do not exist and certificates that are not trusted stay so.
    if (/no such host|certificate|redirect|protocol/i.test(told))
      throw failure('REMOTE_FAILED', `${shown}: ${told}`);
    throw new Passing(told);
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw statusError(response.status, shown, `the server answers ${response.status}`);
  }
  // `fetch` has unpacked what the server sent as packed: a file whose name ends in .gz is packed again.
  const packs = response.headers.has('content-encoding') && /\.gz$/i.test(url.pathname);
  const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
  await write(path, body, signal, packs);
  const time = new Date(response.headers.get('last-modified') ?? 0).getTime() || 0;
  utimesSync(path, time / 1000, time / 1000);
}

type Sdk = typeof import('@aws-sdk/client-s3');

interface S3 {
  readonly sdk: Sdk;
  readonly client: S3Client;
}

async function connected(): Promise<S3> {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const sdk = loadSdk();
  const { env } = process;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const config: S3ClientConfig = {
    ...(region ? { region } : {}),
    // Compatible servers seldom have a host name for each bucket.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(/^(1|true|yes)$/i.test(env.AWS_NO_SIGN_REQUEST ?? '')
      ? {
          signer: { sign: async (request) => request },
          credentials: { accessKeyId: '', secretAccessKey: '' },
        }
      : {}),
    ...{ followRegionRedirects: true, maxAttempts: 1 },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 30_000 },
  };
  const client = new sdk.S3Client(config);
  try {
    await client.config.region();
    return { sdk, client };
  } catch {
    // Without a region: the servers of the first one name that of a bucket.
    return { sdk, client: new sdk.S3Client({ ...config, region: 'us-east-1' }) };
  }
}

/** From where this package is installed, else from the working directory. */
function loadSdk(): Sdk {
  let reason = '';
  for (const place of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(place)(PACKAGE) as Sdk;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') reason = (error as Error).message;
    }
  }
  throw failure('REMOTE_CLIENT_MISSING', reason === '' ? `npm install ${PACKAGE} brings it` : reason);
}

async function copyOfObject(
  { sdk, client }: S3,
  bucket: string,
  key: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await client
    .send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }), { ...(signal && { abortSignal: signal }) })
    .catch((error: unknown) => {
      throw s3Error(error, `s3://${bucket}/${key}`);
    });
  await write(path, found.Body as Readable, signal);
  const time = wholeSeconds(found.LastModified);
  utimesSync(path, time / 1000, time / 1000);
}

/** The objects whose keys begin with a prefix: the rest of the key, and its time. Keys that end in a slash stand for folders. */
async function objectsBelow(
  { sdk, client }: S3,
  address: string,
  bucket: string,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const asked = { Bucket: bucket, Prefix: prefix, EncodingType: 'url' } as const;
  const add = ({ Key: given = '', LastModified }: _Object, isEncoded: boolean): void => {
    // Keys may hold what XML cannot.
    const key = isEncoded ? decodeURIComponent(given.replaceAll('+', ' ')) : given;
    if (!key.endsWith('/') && key.startsWith(prefix))
      found.set(key.slice(prefix.length), wholeSeconds(LastModified));
  };
  for (let token: string | undefined, isLast = false; !isLast; ) {
    const page = await client
      .send(
        new sdk.ListObjectsV2Command({ ...asked, ...(token !== undefined && { ContinuationToken: token }) }),
        {
          ...(signal && { abortSignal: signal }),
        },
      )
      .catch((error: unknown) => {
        throw s3Error(error, address);
      });
    for (const object of page.Contents ?? []) add(object, page.EncodingType === 'url');
    token = page.NextContinuationToken;
    isLast = page.IsTruncated !== true || token === undefined;
  }
  return found;
}

/** Milliseconds since 1970 in whole seconds; 0 if the server does not tell the time. */
function wholeSeconds(time: Date | undefined): number {
  return time === undefined ? 0 : Math.floor(time.getTime() / 1000) * 1000;
}

/** Errors of a user who is unknown or no longer valid. */
const OF_CREDENTIALS =
  /^(CredentialsProviderError|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|ExpiredTokenException|InvalidToken|TokenRefreshRequired|AuthorizationHeaderMalformed|UnrecognizedClientException)$/;

function s3Error(error: unknown, address: string): Error {
  const { name, message, $metadata } = error as Error & {
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? 0;
  if (OF_CREDENTIALS.test(name) || /could not load credentials/i.test(message)) {
    const why = name === 'CredentialsProviderError' ? 'none were found' : name;
    return failure('REMOTE_CREDENTIALS', `${address}: ${why}`);
  }
  if (status === 0) {
    const told = shownCause(error);
    return told === 'there is no such host'
      ? failure('REMOTE_FAILED', `${address}: ${told}, or no such bucket`)
      : new Passing(told);
  }
  return statusError(
    status,
    address,
    `${/^(Unknown|UnknownError|Error|\d+)$/.test(name) ? 'S3 answers' : name} (${status})`,
  );
}
