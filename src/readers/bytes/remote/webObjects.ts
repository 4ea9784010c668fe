/** Objects of web servers: ranges by HTTP, redirects, what a status means. */
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { shownAddress } from './addresses.js';
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

const MOST_REDIRECTS = 10;
/** A request without an answer for so long is sent again. Milliseconds. */
const SILENCE = 30_000;
const AGENTS = { keepAlive: true, maxSockets: 32 };
const plainAgent = new PlainAgent(AGENTS);
const agent = new Agent(AGENTS);

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

/** Requests a range; see GetRange. */
export async function getWebRange(
  address: string,
  { from, length, isWhole }: Range,
  etag: string | null,
): Promise<Reply> {
  const headers: Record<string, string> = {
    ...(isWhole === true ? {} : { range: rangeText(from, length) }),
    'accept-encoding': 'identity',
    'user-agent': 'mr-minhash',
    // A weak one never matches by the rules of HTTP (RFC 9110, 13.1.1).
    ...(etag === null || etag.startsWith('W/') ? {} : { 'if-match': etag }),
  };
  let url = urlOf(address);
  let credentials = credentialsOf(url);
  for (let redirects = 0; ; redirects++) {
    const response = await answerOf(
      url,
      credentials === null ? headers : { ...headers, authorization: credentials },
    );
    const { location } = response.headers;
    if (!REDIRECTS.includes(response.statusCode) || location === undefined) {
      return replyOf(response, shownAddress(address), from);
    }
    response.resume();
    if (redirects === MOST_REDIRECTS) {
      throw refusal('REMOTE_FAILED', `${shownAddress(address)}: more than ${MOST_REDIRECTS} redirects`);
    }
    const target = new URL(location, url);
    if (!/^https?:$/.test(target.protocol)) {
      throw refusal('REMOTE_FAILED', `${shownAddress(address)}: redirects to ${target.protocol}//`);
    }
    // The password is not sent to another server that this one names.
    if (target.host !== url.host || target.protocol !== url.protocol) credentials = credentialsOf(target);
    url = target;
  }
}

/** The file of an address. Where the server does not say its size, all of it is read once to count it. @throws MinHashError VANISHED and others */
export function findWeb(address: string): Promise<Found> {
  return withRetries(shownAddress(address), async () => {
    const reply = await getWebRange(address, { from: 0, length: 1 }, null);
    try {
      let { size } = reply;
      if (size < 0) {
        size = 0;
        for await (const piece of reply.body) size += piece.length;
      }
      return { kind: 'file', size, time: reply.time };
    } finally {
      reply.discard();
    }
  });
}

function urlOf(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw refusal(
      'PATH_MISSING',
      `${JSON.stringify(shownAddress(address))} is no address; expected https://HOST/FILE`,
    );
  }
}

function credentialsOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function answerOf(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  const isPlain = url.protocol === 'http:';
  return new Promise((resolve, reject) => {
    const { protocol, hostname, port, pathname, search } = url;
    const asked = (isPlain ? plainRequest : request)(
      {
        ...{ protocol, port, headers, path: pathname + search, agent: isPlain ? plainAgent : agent },
        hostname: hostname.replace(/^\[|\]$/g, ''),
      },
      resolve,
    );
    asked.setTimeout(SILENCE, () => asked.destroy(new Passing('no answer in time')));
    asked.on('error', (error) => reject(plainError(error, url)));
    asked.end();
  });
}

/** Names that do not exist and certificates that are not trusted are not tried again. */
function plainError(error: NodeJS.ErrnoException, url: URL): Error {
  if (error.code === 'ENOTFOUND') return refusal('REMOTE_FAILED', `there is no host ${url.hostname}`);
  if (/CERT|SELF_SIGNED|SSL/.test(error.code ?? ''))
    return refusal('REMOTE_FAILED', `${url.hostname}: its certificate is not trusted (${error.code})`);
  return error;
}

function replyOf(response: IncomingMessage, shown: string, from: number): Reply {
  const { statusCode: status = 0, headers } = response;
  const { etag = null } = headers;
  const time = timeOf(headers['last-modified']);
  const length = headers['content-length'] === undefined ? -1 : Number(headers['content-length']);
  const base = { time, etag, length, body: response, discard: () => response.destroy() };
  const range = contentRange(headers['content-range']);
  if (status === 200) return { ...base, size: length, isPart: false };
  if (status === 206 && range !== null && range.from === from)
    return { ...base, size: range.size, isPart: true };
  response.resume();
  if (status === 416 && (range?.size === 0 || (range === null && from === 0))) return emptyReply(time, etag);
  throw statusError(status, shown, headers['retry-after']);
}

function statusError(status: number, shown: string, retryAfter: string | undefined): Error {
  if (status === 404 || status === 410)
    return refusal('VANISHED', `${shown}: the server has no such file (${status})`);
  if (status === 401 || status === 403 || status === 407)
    return refusal('DENIED', `${shown}: the server answers ${status}`);
  if (status === 412 || status === 416) return refusal('CHANGED', `${shown}: changed meanwhile`);
  if (isPassingStatus(status)) {
    const seconds = Number(retryAfter);
    return new Passing(`the server answers ${status}`, Number.isFinite(seconds) ? 1000 * seconds : null);
  }
  return refusal('REMOTE_FAILED', `${shown}: the server answers ${status}`);
}
