/** The page of a report about hostile ids, texts, names of files and manifests: everything is text, and its policy forbids scripts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { run } from '../../src/coordinator/run.js';
import { MinHashError } from '../../src/errors.js';
import { reportHtml } from '../../src/view/reportPage.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

/** Leaves tags, attributes and comments, and turns text around. */
const EVIL =
  '</title></style><x-evil>"x-evil=1 \'x-evil=1 --><!--x-evil \u202egnp\u2066\u2028\u0000\u001b[31m\u009b\ufeff\ud800\udfff\udc80';
const WORDS = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
const ESCAPED = /&lt;x-evil&gt;&quot;x-evil=1 &#39;x-evil=1 --&gt;&lt;!--x-evil \\u202e/;
/** Markup of the text, and characters that act. */
const ACTING =
  /<x-evil|["']x-evil|<!--x-evil|[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;
const NAMES = [
  ...[
    '<x-evil>"x-evil=1.jsonl',
    "'x-evil=1 x.jsonl",
    '\u202elnosj.jsonl',
    'tab\tline\n\x1b[2J.jsonl',
    '\xff\xfe.jsonl',
  ],
];

async function hostileResult(folder: string): Promise<string> {
  const out = join(folder, EVIL.replaceAll(/[/\0]/g, '').replace(/\p{Surrogate}/gu, ''));
  await run({ paths: [join(folder, 'in')], out, threads: 0, threshold: 0.3 });
  return out;
}

const lines = (n: number): string =>
  [0, 1]
    .map(
      (i) =>
        `${JSON.stringify({ ...(i === 0 && { id: `${EVIL}${n}` }), text: `${WORDS} ${EVIL} end${i}` })}\n`,
    )
    .join('');
const FILES = Object.fromEntries(
  NAMES.map((name, n) => [
    `in/${Buffer.from(name, name.includes('\xff') ? 'latin1' : 'utf8').toString('latin1')}`,
    lines(n),
  ]),
);

test('ids, texts and names of files are text, and nothing runs or is fetched', async (t) => {
  const out = await hostileResult(temporaryFolder(t, FILES));
  const page = await reportHtml(out);
  t.regex(page, ESCAPED);
  t.notRegex(page, ACTING);
  t.regex(page, /&lt;x-evil&gt;&quot;x-evil=1\.jsonl/);
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)![1]!;
  t.true(page.indexOf(policy) < page.indexOf('<title>'), 'the policy stands before all that it is about');
  t.deepEqual(policy.split('; ').sort(), [
    "base-uri 'none'",
    "default-src 'none'",
    "form-action 'none'",
    'img-src data:',
    "style-src 'unsafe-inline'",
  ]);
  t.notRegex(page, /<(script|iframe|object|embed|base|form|img)\b|\son\w+=|(src|href)="(?!#|data:,")|url\(/);
});

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON text with one of its leaves replaced, and with one of its keys; of a list only the first entry. */
function* forgeries(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) yield EVIL;
  else if (Array.isArray(value)) {
    const [first, ...others] = value;
    if (first !== undefined) for (const one of forgeries(first)) yield [one, ...others];
  } else
    for (const [key, entry] of Object.entries(value)) {
      for (const one of forgeries(entry)) yield { ...value, [key]: one };
      const { [key]: _, ...rest } = value;
      yield { ...rest, [EVIL]: entry };
    }
}

test('a forged manifest is rejected, or its strings are text', async (t) => {
  const out = await hostileResult(temporaryFolder(t, { 'in/a.jsonl': lines(1), 'in/b.jsonl': lines(2) }));
  const path = join(out, 'manifest.json');
  const manifest: Json = JSON.parse(readFileSync(path, 'utf8'));
  let [shown, refused] = [0, 0];
  for (const forged of forgeries(manifest)) {
    writeFileSync(path, JSON.stringify(forged));
    const page = await reportHtml(out).catch((error: unknown) => {
      // What is refused is named, and never a defect.
      t.true(error instanceof MinHashError, String(error));
      return '';
    });
    if (page === '') refused++;
    else shown++;
    t.is(ACTING.exec(page)?.[0], undefined, page.slice(Math.max(0, page.search(ACTING) - 100)).slice(0, 300));
  }
  t.true(shown >= 30 && refused > 50, `${shown} shown, ${refused} refused`);
});
