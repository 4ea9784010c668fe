/** A web server in a thread of its own: what a path begins with says how it answers. */
import { Worker } from 'node:worker_threads';
import type { ExecutionContext } from 'ava';

/**
 * Bytes of a file of the server: `/KIND/SIZE/...` has so many.
 *
 * Kinds: `whole`; `moved` (redirects to whole); `failing` (500 twice); `broken` (always 503); `cut` (the first two bodies end
 * early); `chunked` (no size); `denied`; `gone`; `hanging` (never answers).
 */
export function bytesOfServer(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i++) bytes[i] = 97 + ((i ^ (i >> 8) ^ (i >> 16)) % 26);
  return bytes;
}

const SCRIPT = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const bytesOf = ${bytesOfServer.toString()};
const met = new Map();
function answer(request, response) {
  const [, kind, size] = request.url.split('?')[0].split('/');
  const bytes = bytesOf(Number(size));
  const times = (met.get(request.url) ?? 0) + 1;
  met.set(request.url, times);
  const end = (status, headers = {}, body = '') => { response.writeHead(status, headers); response.end(body); };
  if (kind === 'gone') return end(404);
  if (kind === 'denied') return end(403);
  if (kind === 'hanging') return;
  if (kind === 'moved') return end(302, { location: request.url.replace('moved', 'whole') });
  if (kind === 'broken') return end(503);
  if (kind === 'failing' && times < 3) return end(500);
  const headers = { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  if (kind === 'chunked') { response.writeHead(200, headers); response.write(bytes.subarray(0, 9)); return response.end(bytes.subarray(9)); }
  response.writeHead(200, { ...headers, 'content-length': bytes.length });
  if (kind !== 'cut' || times > 2) return response.end(bytes);
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
const server = createServer(answer);
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** Starts one, which ends with the test. `url`: `http://127.0.0.1:port`. */
export async function webServer(t: ExecutionContext): Promise<{ readonly url: string }> {
  const worker = new Worker(SCRIPT, { eval: true });
  t.teardown(() => worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { url: `http://127.0.0.1:${port}` };
}
