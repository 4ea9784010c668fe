/** The corpus where it is no file of this machine: behind a database, and on a web server in a thread of its own. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CorpusForm } from './forms.js';

interface ServedForms {
  readonly forms: readonly CorpusForm[];
  close(): Promise<void>;
}

/** Answers with the ranges of one file that it is asked for. */
const SERVER = `
const { createServer } = require('node:http');
const { readFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const bytes = readFileSync(workerData);
const server = createServer(({ headers }, response) => {
  const [, from, to] = /(\\d+)-(\\d*)/.exec(headers.range ?? 'bytes=0-');
  const part = bytes.subarray(Number(from), to === '' ? bytes.length : Number(to) + 1);
  const range = 'bytes ' + from + '-' + (Number(from) + part.length - 1) + '/' + bytes.length;
  response.writeHead(206, { 'content-length': part.length, 'content-range': range, etag: '"1"' }).end(part);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** @param lines the folder of the JSON lines */
export async function servedForms(lines: string): Promise<ServedForms> {
  const server = new Worker(SERVER, { eval: true, workerData: join(lines, 'c.jsonl') });
  const port = await new Promise<number>((resolve) => server.once('message', resolve));
  return {
    forms: [{ name: 'web server', args: [`http://127.0.0.1:${port}/c.jsonl`], missing: null }],
    close: async () => {
      await server.terminate();
    },
  };
}
