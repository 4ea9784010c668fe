/** A web server in a thread of its own: what a path begins with says how it answers. */
import { Worker } from 'node:worker_threads';
import type { ExecutionContext } from 'ava';

export interface WebServer {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Requests so far, and the most at the same time. */
  counts(): { readonly asked: number; readonly most: number };
}

/**
 * Bytes of a file of the server: `/KIND/SIZE/...` has so many.
 *
 * Kinds: `ranges`; `whole` (no ranges); `moved` (redirects to ranges); `failing` (500 twice); `broken` (always 503); `cut` (the
 * first two bodies end early); `chunked` (no ranges, no size); `changing` (another ETag each time); `denied`; `gone`; `slow` (20 ms each).
 */
export function bytesOfServer(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i++) bytes[i] = 97 + ((i ^ (i >> 8) ^ (i >> 16)) % 26);
  return bytes;
}

const SCRIPT = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const bytesOf = ${bytesOfServer.toString()};
const counts = new Int32Array(workerData);
let active = 0;
const met = new Map();
function answer(request, response) {
  const [, kind, size] = request.url.split('?')[0].split('/');
  const bytes = bytesOf(Number(size));
  const times = (met.get(request.url) ?? 0) + 1;
  met.set(request.url, times);
  const end = (status, headers = {}, body = '') => { response.writeHead(status, headers); response.end(body); };
  if (kind === 'gone') return end(404);
  if (kind === 'denied') return end(403);
  if (kind === 'moved') return end(302, { location: request.url.replace('moved', 'ranges') });
  if (kind === 'broken') return end(503, { 'retry-after': '0' });
  if (kind === 'failing' && times < 3) return end(500, { 'retry-after': '0' });
  const etag = '"' + (kind === 'changing' ? times : 1) + '"';
  const headers = { etag, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const match = request.headers['if-match'];
  if (match !== undefined && match !== etag) return end(412);
  if (kind === 'chunked') { response.writeHead(200, headers); response.write(bytes.subarray(0, 9)); return response.end(bytes.subarray(9)); }
  if (kind === 'whole' || request.headers.range === undefined) return end(200, { ...headers, 'content-length': bytes.length }, bytes);
  const [from, to] = /(\\d+)-(\\d+)/.exec(request.headers.range).slice(1).map(Number);
  if (from >= bytes.length) return end(416, { 'content-range': 'bytes */' + bytes.length });
  const part = bytes.subarray(from, to + 1);
  const range = 'bytes ' + from + '-' + (from + part.length - 1) + '/' + bytes.length;
  response.writeHead(206, { ...headers, 'content-length': part.length, 'content-range': range });
  if (kind !== 'cut' || times > 2) return response.end(part);
  response.write(part.subarray(0, part.length >> 1), () => response.destroy());
}
const server = createServer((request, response) => {
  counts[0]++;
  counts[1] = Math.max(counts[1], ++active);
  response.on('close', () => active--);
  if (request.url.startsWith('/slow/')) setTimeout(answer, 20, request, response);
  else answer(request, response);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** Starts one; it ends with the test. */
export async function webServer(t: ExecutionContext): Promise<WebServer> {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SCRIPT, { eval: true, workerData: counts.buffer });
  t.teardown(() => worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => ({ asked: counts[0]!, most: counts[1]! }),
  };
}
