/**
 * The answers of servers of any protocol; which faults are tried again, and how often.
 */
import { type ErrorCode, MinHashError } from '../../../errors.js';

/** Bytes of an object from `from` on. */
export interface Range {
  readonly from: number;
  readonly length: number;
  /** The range is all of the object, as far as is known, so no range need be asked for. */
  readonly isWhole?: boolean;
}

/** The objects of a PATH: sizes in bytes, times in milliseconds since 1970, 0 where a server does not say it. `keys` stand behind the prefix. */
export type Found =
  | { readonly kind: 'file'; readonly size: number; readonly time: number }
  | {
      readonly kind: 'folder';
      readonly keys: readonly string[];
      readonly sizes: Float64Array;
      readonly times: Float64Array;
    };

/** The beginning of an answer that has bytes of an object. */
export interface Reply {
  /** Bytes of the whole object; -1 where the server does not say. */
  readonly size: number;
  readonly time: number;
  /** Null: the server gives none. */
  readonly etag: string | null;
  /** The body is the requested range; else it is the whole object. */
  readonly isPart: boolean;
  /** Bytes of the body; -1: until it ends. */
  readonly length: number;
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection where the body is not needed. */
  discard(): void;
}

/** Asks a server for a range of an object. `etag`: it must still be that one, as far as the server can tell. */
export type GetRange = (address: string, range: Range, etag: string | null) => Promise<Reply>;

/** A fault that may pass. `wait`: the server says after how many milliseconds. */
export class Passing extends Error {
  readonly wait: number | null;

  constructor(message: string, wait: number | null = null) {
    super(message);
    this.wait = wait;
  }
}

export function refusal(code: ErrorCode, detail: string): MinHashError {
  return new MinHashError({ code, detail });
}

const TRIES = 5;
const FIRST_WAIT = 200;
const LONGEST_WAIT = 20_000;

/**
 * Tries up to five times, with waits that double and vary by chance, so that many threads do not come back at once.
 *
 * @throws MinHashError REMOTE_FAILED after the last try; an error that is not Passing at once
 */
export async function withRetries<T>(shown: string, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const passing = passingOf(error);
      if (passing === null) throw error;
      if (tries === TRIES) throw refusal('REMOTE_FAILED', `${shown}: ${passing.message}, ${TRIES} tries`);
      const usual = FIRST_WAIT * 2 ** (tries - 1) * (0.5 + Math.random());
      await waited(Math.min(LONGEST_WAIT, passing.wait ?? usual));
    }
  }
}

function waited(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Faults of connections that another try may not have, with their texts. */
const CONNECTION: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was closed',
  ECONNREFUSED: 'nothing listens there',
  ECONNABORTED: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'no answer in time',
  ESOCKETTIMEDOUT: 'no answer in time',
  TimeoutError: 'no answer in time',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed',
  HPE_INVALID_CONSTANT: 'the answer is no HTTP',
};

/** An error that another try may not have; null: it is another one. */
function passingOf(error: unknown): Passing | null {
  if (error instanceof Passing) return error;
  if (!(error instanceof Error)) return null;
  const { code, name } = error as NodeJS.ErrnoException;
  const inner = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException).code : undefined;
  const told =
    CONNECTION[code ?? inner ?? ''] ??
    CONNECTION[name] ??
    (error.message === 'aborted' ? CONNECTION.EPIPE : undefined);
  return told === undefined ? null : new Passing(told);
}

/** Whether a status of HTTP says that another try may help. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/** `bytes=0-99`. */
export function rangeText(from: number, length: number): string {
  return `bytes=${from}-${from + Math.max(1, length) - 1}`;
}

/** `bytes 0-99/1234`; null: it is no such text. */
export function contentRange(
  value: string | undefined,
): { readonly from: number; readonly size: number } | null {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(value ?? '');
  return match === null ? null : { from: Number(match[1] ?? 0), size: Number(match[2]) };
}

/** Milliseconds in whole seconds; 0: it is no time. */
export function timeOf(value: Date | string | undefined): number {
  const time = value === undefined ? Number.NaN : new Date(value).getTime();
  return Number.isNaN(time) ? 0 : Math.floor(time / 1000) * 1000;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The answer for an empty object, which has no range. */
export function emptyReply(time: number, etag: string | null): Reply {
  return { size: 0, time, etag, isPart: true, length: 0, body: nothing(), discard: () => {} };
}
