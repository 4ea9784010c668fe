/**
 * A task of its own for tests of Spark: `sketch` makes a record of each row of the corpus, `facts` brings records with the same value
 * together. No package, no import of ours: it is shipped as it is.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';

const [stage, side, , , , manifest] = process.argv.slice(2);
const { job, run } = JSON.parse(readFileSync(manifest!, 'utf8')) as { job: string; run: string };
const lines = readFileSync(0, 'latin1').split('\n');
if (lines.pop() !== '') throw new Error('the input ends within a line');

const PREFIX = 4;
const hashOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const out: string[] = [];
const counts = { in: 0, out: 0 };
const facts = new Map<string, string>();
const lead = side === 'map' && stage === 'facts' ? 'ff'.repeat(PREFIX) : '';
const taken = side === 'reduce' ? 2 * PREFIX : 0;

function put(key: Buffer, value: Buffer): void {
  counts.out++;
  out.push(`${key.toString('hex')}\t${value.toString('base64')}\n`);
}

function takeRecord(key: string, value: string): void {
  if (key.startsWith('ff') && key.length === taken + 34) {
    facts.set(key.slice(taken), value);
    return;
  }
  counts.in++;
  const bytes = Buffer.from(value, 'base64');
  if (side === 'map') put(Buffer.concat([hashOf(bytes).subarray(0, PREFIX), Buffer.from(key, 'hex')]), bytes);
  else put(Buffer.from(key, 'hex').subarray(PREFIX), bytes);
}

for (const [i, line] of lines.entries()) {
  const columns = line.split('\t');
  if (stage !== 'sketch') takeRecord(columns[0]!, columns[1]!);
  else {
    counts.in++;
    const [file, start, base64] = columns as [string, string, string];
    const key = hashOf(Buffer.from(`${i} ${line}`)).subarray(0, 12);
    put(Buffer.concat([Buffer.of(1), key]), Buffer.from(JSON.stringify({ file, start, base64 })));
  }
}
if (lines.length > 0) {
  const fact = { run, job, side, ...counts, sums: { seen: counts.in }, most: {} };
  const own = `ff${createHash('sha256').update(randomUUID()).digest('hex').slice(0, 32)}`;
  facts.set(own, Buffer.from(JSON.stringify(fact)).toString('base64'));
  for (const [key, value] of facts) out.push(`${lead}${key}\t${value}\n`);
}
writeSync(1, out.join(''), null, 'latin1');
