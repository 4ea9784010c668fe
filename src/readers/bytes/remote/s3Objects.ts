/**
 * Objects of S3 and of compatible servers, by the client of AWS: it finds credentials and regions as the tools of AWS do.
 * The package is optional, and loaded for the first s3:// address.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { MinHashError } from '../../../errors.js';
import { s3Place } from './addresses.js';
import {
  contentRange,
  emptyReply,
  type Found,
  isPassingStatus,
  Passing,
  type Range,
  type Reply,
  rangeText,
  refusal,
  timeOf,
  withRetries,
} from './replies.js';

const PACKAGE = '@aws-sdk/client-s3';
type Sdk = typeof import('@aws-sdk/client-s3');

interface S3 {
  readonly sdk: Sdk;
  readonly client: S3Client;
}

/** By the settings of the environment: a program may read from one server after the other. */
const connected = new Map<string, Promise<S3>>();

function s3(): Promise<S3> {
  const settings = JSON.stringify(Object.entries(process.env).filter(([name]) => name.startsWith('AWS_')));
  const known = connected.get(settings);
  if (known !== undefined) return known;
  const connecting = connect();
  connected.set(settings, connecting);
  return connecting;
}

/** With this the client does not warn about versions of Node that it will need some day. */
const QUIET = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

async function connect(): Promise<S3> {
  process.env[QUIET] ??= 'true';
  const sdk = loadSdk();
  const config = configOf();
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
  throw refusal('REMOTE_CLIENT_MISSING', reason === '' ? `npm install ${PACKAGE} brings it` : reason);
}

const isSet = (value: string | undefined): boolean => /^(1|true|yes)$/i.test(value ?? '');

function configOf(): S3ClientConfig {
  const { env } = process;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  return {
    ...(region ? { region } : {}),
    // Compatible servers seldom have a host name for each bucket.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(isSet(env.AWS_NO_SIGN_REQUEST)
      ? { signer: { sign: async (asked) => asked }, credentials: { accessKeyId: '', secretAccessKey: '' } }
      : {}),
    followRegionRedirects: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 30_000, httpsAgent: { maxSockets: 32 } },
  };
}

/** Requests a range; see GetRange. */
export async function getS3Range(
  address: string,
  { from, length, isWhole }: Range,
  etag: string | null,
): Promise<Reply> {
  const { sdk, client } = await s3();
  const { bucket, key } = s3Place(address);
  const match = etag === null ? {} : { IfMatch: etag };
  const range = isWhole === true ? {} : { Range: rangeText(from, length) };
  const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: key, ...match, ...range });
  try {
    const found = await client.send(command);
    const body = found.Body as Readable;
    const part = contentRange(found.ContentRange);
    const length = found.ContentLength ?? -1;
    return {
      size: part?.size ?? length,
      time: timeOf(found.LastModified),
      etag: found.ETag ?? null,
      isPart: part !== null && part.from === from,
      length,
      body,
      discard: () => body.destroy(),
    };
  } catch (error) {
    if (statusOf(error) === 416 && from === 0) return emptyReply(0, null);
    throw faultOfS3(error, address);
  }
}

interface S3Error extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Code?: string;
}

function statusOf(error: unknown): number {
  return (error as S3Error).$metadata?.httpStatusCode ?? 0;
}

/** Errors that say that a user is unknown or no longer valid. */
const OF_CREDENTIALS =
  /^(CredentialsProviderError|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|ExpiredTokenException|InvalidToken|TokenRefreshRequired|AuthorizationHeaderMalformed|UnrecognizedClientException)$/;

function faultOfS3(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || error instanceof MinHashError) return error;
  const { name } = error;
  const status = statusOf(error);
  if (OF_CREDENTIALS.test(name) || /could not load credentials/i.test(error.message)) {
    return refusal(
      'REMOTE_CREDENTIALS',
      `${address}: ${name === 'CredentialsProviderError' ? 'none were found' : name}`,
    );
  }
  const told = `${address}: ${/^(Unknown|UnknownError|Error|\d+)$/.test(name) ? 'S3 answers' : name}${status === 0 ? '' : ` (${status})`}`;
  if (status === 404) return refusal('VANISHED', told);
  if (status === 401 || status === 403) return refusal('DENIED', told);
  if (status === 412 || status === 416) return refusal('CHANGED', `${address}: changed meanwhile`);
  if (isPassingStatus(status) || name === 'SlowDown' || name === 'RequestTimeout') {
    return new Passing(`S3 answers ${status}${/^\w+$/.test(name) ? ` ${name}` : ''}`);
  }
  if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND')
    return refusal('REMOTE_FAILED', `${address}: there is no such host, or no such bucket`);
  return status === 0 ? error : refusal('REMOTE_FAILED', told);
}

/** The object of an address, else all objects below it. @throws MinHashError PATH_MISSING and others */
export async function findS3(address: string): Promise<Found> {
  const { bucket, key } = s3Place(address);
  if (bucket === '') throw refusal('PATH_MISSING', `${JSON.stringify(address)}: expected s3://BUCKET/PREFIX`);
  const folder = key.replace(/\/+$/, '');
  let denied: unknown = null;
  if (key !== '' && folder === key) {
    try {
      return await withRetries(address, () => lookAt(address));
    } catch (error) {
      const code = error instanceof MinHashError ? error.code : null;
      if (code === 'DENIED') denied = error;
      else if (code !== 'VANISHED') throw error;
    }
  }
  const found = await listBelow(address, bucket, folder === '' ? '' : `${folder}/`).catch(
    (error: unknown) => {
      // A fault of the credentials explains more than a refusal.
      throw error instanceof MinHashError && error.code === 'REMOTE_CREDENTIALS' ? error : (denied ?? error);
    },
  );
  if (found.keys.length > 0 || folder === '') return found;
  throw refusal('PATH_MISSING', `${JSON.stringify(address)}: no object of that name, and none below it`);
}

async function lookAt(address: string): Promise<Found> {
  const { sdk, client } = await s3();
  const { bucket, key } = s3Place(address);
  try {
    const found = await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }));
    return { kind: 'file', size: found.ContentLength ?? 0, time: timeOf(found.LastModified) };
  } catch (error) {
    throw faultOfS3(error, address);
  }
}

/** All objects whose keys begin with a prefix. Keys that end in a slash stand for folders. */
async function listBelow(
  address: string,
  bucket: string,
  prefix: string,
): Promise<Found & { readonly kind: 'folder' }> {
  const { sdk, client } = await s3();
  const keys: string[] = [];
  const sizes: number[] = [];
  const times: number[] = [];
  let token: string | undefined;
  do {
    const command = new sdk.ListObjectsV2Command({
      ...{ Bucket: bucket, Prefix: prefix, EncodingType: 'url' },
      ...(token === undefined ? {} : { ContinuationToken: token }),
    });
    const page = await withRetries(address, async () => {
      try {
        return await client.send(command);
      } catch (error) {
        throw faultOfS3(error, address);
      }
    });
    for (const { Key: given = '', Size = 0, LastModified } of page.Contents ?? []) {
      // Keys may hold what XML cannot.
      const key = page.EncodingType === 'url' ? decodeURIComponent(given.replaceAll('+', ' ')) : given;
      if (key.endsWith('/') || !key.startsWith(prefix)) continue;
      keys.push(key.slice(prefix.length));
      sizes.push(Size);
      times.push(timeOf(LastModified));
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return { kind: 'folder', keys, sizes: Float64Array.from(sizes), times: Float64Array.from(times) };
}
