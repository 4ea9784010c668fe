/** The server of `view`: who is answered, and what an answer forbids a page. */
import { request } from 'node:http';
import test from 'ava';
import { ResultView } from '../../src/view/viewPages.js';
import { type ServedView, serveView } from '../../src/view/viewServer.js';
import { resultIn } from './viewedResult.js';

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function ask(
  address: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

let served: ServedView;
test.before(async () => {
  const view = new ResultView(await resultIn('served'));
  await view.prepare();
  served = await serveView(view, { port: 0, host: '127.0.0.1' });
});
test.after.always(() => served?.close());

test('only requests with the token are answered', async (t) => {
  const { address } = served;
  t.regex(address, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/$/);
  t.is((await ask(address)).status, 200);
  t.is((await ask(`${address}clusters`)).status, 200);
  t.is((await ask(address.slice(0, -1))).status, 308);
  const token = address.split('/')[3]!;
  // The token may end with any letter.
  const other = token.endsWith('x') ? 'y' : 'x';
  for (const wrong of ['', 'clusters', `${token.slice(0, -1)}${other}/`, `x${token}/`])
    t.is((await ask(new URL(wrong, new URL('/', address)).href)).status, 403, wrong);
});

test('requests for another host and from pages of other sites are rejected', async (t) => {
  const { address } = served;
  const { host, port } = new URL(address);
  t.is((await ask(address, { Host: `localhost:${port}` })).status, 200);
  t.is((await ask(address, { Host: `evil.example:${port}` })).status, 403);
  t.is((await ask(address, { Host: '192.0.2.1' })).status, 403);
  t.is((await ask(address, { Origin: `http://${host}` })).status, 200);
  t.is((await ask(address, { Origin: 'http://evil.example' })).status, 403);
  t.is((await ask(address, { Origin: 'null' })).status, 403);
  t.is((await ask(address, { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
});

test('pages run one script of ours and load nothing else', async (t) => {
  const { headers, body } = await ask(served.address);
  const policy = String(headers['content-security-policy']).split('; ');
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    t.true(policy.includes(rule), rule);
  t.is(headers['referrer-policy'], 'no-referrer');
  t.is(headers['x-content-type-options'], 'nosniff');
  t.deepEqual(body.match(/<script[^>]*>/g), ['<script src="page.js" defer>']);
  t.notRegex(body, /\son\w+=|https?:|url\(/);
  const script = await ask(`${served.address}page.js`);
  t.regex(String(script.headers['content-type']), /^text\/javascript/);
});

test('nothing of an address reaches the file system, and only edits change anything', async (t) => {
  const { address } = served;
  for (const path of [
    '%2e%2e/%2e%2e/etc/passwd',
    '..%2f..%2fetc/passwd',
    'page.js%00',
    'manifest.json',
    'clusters/part-00000.tsv',
  ])
    t.true([403, 404].includes((await ask(`${address}${path}`)).status), path);
  t.is((await ask(address, {}, 'PUT')).status, 405);
  t.is((await ask(`${address}clusters`, {}, 'POST')).status, 405);
  t.is((await ask(`${address}edit`)).status, 404);
  t.is((await ask(`${address}edit`, { 'Content-Type': 'text/plain' }, 'POST', '{"undo":true}')).status, 400);
  const json = { 'Content-Type': 'application/json' };
  t.is((await ask(`${address}edit`, json, 'POST', '{')).status, 400);
  t.is((await ask(`${address}edit`, json, 'POST', JSON.stringify({ undo: 'x'.repeat(70_000) }))).status, 400);
  t.is((await ask(`${address}edit`, json, 'POST', '{"undo":true}')).status, 200);
  const tsv = await ask(`${address}clusters.tsv`);
  t.is(tsv.headers['content-disposition'], 'attachment; filename="clusters.tsv"');
  t.is(tsv.body.split('\n').length, 22);
});

test('a port in use is reported', async (t) => {
  const { port } = new URL(served.address);
  const again = serveView(new ResultView(await resultIn('again')), { port: Number(port), host: '127.0.0.1' });
  await t.throwsAsync(again, { message: /port \d+, host .*EADDRINUSE/ });
});
