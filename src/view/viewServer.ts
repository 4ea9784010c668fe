/**
 * The server of `view`. It answers only requests that have the token of its address, this machine as host, and no page of another
 * site as origin, so that no other page in a browser can read or change anything (DNS rebinding, cross-site requests).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { MinHashError } from '../errors.js';
import { VIEW_FOLDER } from '../store/packageFiles.js';
import type { ResultView, ViewAnswer } from './viewPages.js';

/** The port and host on which the server listens. */
export interface ServedAt {
  /** 0: any free port. */
  readonly port: number;
  /** An address or name of this machine. */
  readonly host: string;
}

/** A running server. */
export interface ServedView {
  /** The address to open, with the token. */
  readonly address: string;
  close(): Promise<void>;
}

/** Headers of every answer: browsers load only from this server, and run only its one script. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

const LOOPBACK = '127.0.0.1';
const OWN_NAMES: readonly string[] = [LOOPBACK, 'localhost', '::1'];
const MOST_BODY = 1 << 16;

/** Starts the server. @throws MinHashError OPTION_INVALID if it cannot listen on the port and host */
export async function serveView(view: ResultView, { port, host }: ServedAt): Promise<ServedView> {
  const token = randomBytes(18).toString('base64url');
  const script = readFileSync(new URL('page.js', VIEW_FOLDER));
  const server = createServer((request, response) => {
    respond(request, response, { view, token, script, host }).catch(() => response.destroy());
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const detail = `port ${port}, host ${host}: ${error instanceof Error ? error.message : String(error)}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail }, { cause: error });
  }
  const place = server.address();
  const own = typeof place === 'object' && place !== null ? place.port : port;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${own}/${token}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What is needed to answer a request. */
interface Serving {
  readonly view: ResultView;
  readonly token: string;
  readonly script: Uint8Array;
  readonly host: string;
}

async function respond(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const why = whyForeign(request, serving.host);
  if (why !== null) return refuse(response, 403, why);
  const [, typed = '', ...rest] = (request.url ?? '').split('?')[0]!.split('/');
  if (!isSame(typed, serving.token)) return refuse(response, 403, 'the address lacks the token of this view');
  const path = rest.join('/');
  if (rest.length === 0) return redirect(response, `/${typed}/`);
  const query = new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
  if (request.method === 'POST' && path === 'edit') {
    const body = await jsonBody(request);
    if (body === undefined) return refuse(response, 400, 'expected a small JSON object');
    return send(request, response, await serving.view.edit(body));
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'expected GET');
  if (path === 'page.js') {
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/javascript; charset=utf-8' });
    response.end(request.method === 'HEAD' ? undefined : serving.script);
    return;
  }
  return send(request, response, await serving.view.answer(path, query));
}

/** Why a request is rejected: it is for another host, or a page of another site sent it; null if it is accepted. */
function whyForeign({ headers }: IncomingMessage, host: string): string | null {
  const hostHeader = headers.host ?? '';
  const name = hostHeader.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const isTyped = name === host || (!OWN_NAMES.includes(host) && isIP(name) !== 0);
  if (!OWN_NAMES.includes(name) && !isTyped) return 'the host in the address is not this machine';
  if (headers.origin !== undefined && headers.origin !== `http://${hostHeader}`)
    return 'the request is from another site';
  return headers['sec-fetch-site'] === 'cross-site' ? 'the request is from another site' : null;
}

function isSame(typed: string, token: string): boolean {
  const [typedBytes, tokenBytes] = [Buffer.from(typed), Buffer.from(token)];
  return typedBytes.length === tokenBytes.length && timingSafeEqual(typedBytes, tokenBytes);
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${why}\n`);
}

function redirect(response: ServerResponse, address: string): void {
  response.writeHead(308, { ...HEADERS, Location: address });
  response.end();
}

/** The body of a request; undefined if it is not as sent by the pages of `view`. */
async function jsonBody(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') return undefined;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > MOST_BODY) return undefined;
    pieces.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return undefined;
  }
}

async function send(request: IncomingMessage, response: ServerResponse, answer: ViewAnswer): Promise<void> {
  const { status, type, body, file } = answer;
  const download = file === undefined ? {} : { 'Content-Disposition': `attachment; filename="${file}"` };
  response.writeHead(status, { ...HEADERS, 'Content-Type': `${type}; charset=utf-8`, ...download });
  if (request.method === 'HEAD' || typeof body === 'string') {
    response.end(typeof body === 'string' && request.method !== 'HEAD' ? body : undefined);
    return;
  }
  for await (const piece of body) {
    if (response.destroyed) return;
    if (!response.write(piece)) await once(response, 'drain');
  }
  response.end();
}
