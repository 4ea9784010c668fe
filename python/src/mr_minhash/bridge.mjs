/**
 * One call of the library for a process of another language. The first line of standard input is the request, as JSON; the lines
 * after it are records. Lines of standard output are objects with one key each: `progress`, `row`, `value` (the last line of a
 * successful call) or `error` (the last line of a failed one). SIGINT and SIGTERM end the call as INTERRUPTED.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as library from './program/dist/package/index.js';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => ending.abort());
// The process that called is gone, so no answer is needed.
process.stdout.on('error', () => process.exit(1));

const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })[
  Symbol.asyncIterator
]();

async function say(what) {
  // JSON.stringify writes NaN and infinite numbers as null.
  if (!process.stdout.write(`${JSON.stringify(what)}\n`)) await once(process.stdout, 'drain');
}

const hooks = { signal: ending.signal, onProgress: (progress) => void say({ progress }) };

async function* records() {
  for await (const line of lines) yield JSON.parse(line);
}

async function* recordLines() {
  for await (const line of lines) yield `${line}\n`;
}

async function rows(answers) {
  for await (const row of answers) await say({ row });
  return null;
}

const CALLS = {
  run: ({ options }) => library.run(options, { ...hooks, stdin: recordLines() }),
  filter: ({ options }) => rows(library.filterDocuments(records(), { ...options, ...hooks })),
  query: ({ base, paths, options }) =>
    rows(library.query(base, paths === null ? records() : { paths }, options, hooks)),
  compare: ({ a, b, options }) =>
    options.method === undefined ? library.compareTexts(a, b, options) : library.compareBy(a, b, options),
  apply: ({ folder, options }) => library.applyResult(folder, options, hooks),
  indexCreate: ({ folder, options }) => library.createIndex(folder, options) ?? null,
  indexAdd: ({ folder, portion }) => changed(folder, (index) => index.add(records(), { portion })),
  indexRemove: ({ folder, removal }) => changed(folder, (index) => index.remove(removal)),
  indexCompact: ({ folder }) => changed(folder, (index) => index.compact().then(() => null)),
  serve,
};

/** Changes an index, and closes it. */
async function changed(folder, change) {
  const index = await library.openIndex(folder);
  try {
    return await change(index);
  } finally {
    await index.close();
  }
}

/** Opened indexes by folder. */
const indexes = new Map();

async function indexOf(folder) {
  if (!indexes.has(folder)) indexes.set(folder, await library.openIndex(folder));
  return indexes.get(folder);
}

/** Calls that take no file and answer at once. */
const SERVED = {
  signature: ({ text, options }) => Array.from(library.sketchOf(text, options).slots),
  similarity: ({ a, b, options }) => library.resemblance(a, b, options),
  indexFacts: async ({ folder }) => {
    const { portions, documents } = await indexOf(folder);
    return {
      documents,
      portions: portions.map(({ name, added, documents }) => ({ name, added, documents })),
    };
  },
  indexQuery: async ({ folder, text, options }) => (await indexOf(folder)).query(text, options),
  indexClose: async ({ folder }) => {
    await indexes.get(folder)?.close();
    indexes.delete(folder);
    return null;
  },
};

/** Answers each line of standard input, a request, by a line, until the input ends. */
async function serve() {
  for await (const line of lines) {
    const { call, ...request } = JSON.parse(line);
    try {
      await say({ value: await SERVED[call](request) });
    } catch (error) {
      await say({ error: errorOf(error) });
    }
  }
  return null;
}

/** What is passed on of an error of the library; any other error is a defect and ends the process. */
function errorOf(error) {
  if (!(error instanceof library.MinHashError)) throw error;
  const { code, message, hint, problems } = error;
  return { code, message, hint, problems: problems.map(({ code, detail }) => ({ code, detail })) };
}

try {
  const { call, ...request } = JSON.parse((await lines.next()).value);
  await say({ value: await CALLS[call](request) });
} catch (error) {
  await say({ error: errorOf(error) });
}
process.exit(0);
