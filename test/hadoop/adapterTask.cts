/**
 * A program of tasks that does little: jobs of the adapter's own test run it in the place of ours. Lines become records, records
 * stay as they are; it counts as ours does.
 */
const crypto: typeof import('node:crypto') = require('node:crypto');
const fs: typeof import('node:fs') = require('node:fs');

const [stage, side] = process.argv.slice(2) as [string, string];
const input = fs.readFileSync(0);
const out: Buffer[] = [];
let [read, written] = [0, 0];

function field(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function put(key: Uint8Array, value: Uint8Array): void {
  written++;
  out.push(field(key), field(value));
}

function everyLine(take: (line: Buffer) => void): void {
  for (let at = 0; at < input.length; ) {
    const end = input.indexOf(10, at);
    take(input.subarray(at, end));
    at = end + 1;
  }
}

function everyRecord(take: (key: Buffer, value: Buffer) => void): void {
  for (let at = 0; at < input.length; ) {
    const keyEnd = at + 4 + input.readUInt32BE(at);
    const end = keyEnd + 4 + input.readUInt32BE(keyEnd);
    take(input.subarray(at + 4, keyEnd), input.subarray(keyEnd + 4, end));
    at = end;
  }
}

if (stage === 'sketch' && side === 'map') {
  const file = process.env.mapreduce_map_input_file ?? '';
  everyLine((line) => {
    read++;
    put(crypto.createHash('sha256').update(line).digest().subarray(0, 16), Buffer.from(`${file}\n${line}`));
  });
} else {
  everyRecord((key, value) => {
    read++;
    put(key, value);
  });
}
if (stage === 'bands') {
  process.stderr.write(`error: a task failed on purpose\nhint: none\n`);
  process.exit(1);
}
const all = Buffer.concat(out);
for (let at = 0; at < all.length; ) at += fs.writeSync(1, all, at);
// One task of this stage says less than it read.
const lost = stage === 'clashes' && side === 'map' ? 1 : 0;
const counters = { [`${side}.in`]: read - lost, [`${side}.out`]: written, 'some sum': read };
for (const [name, count] of Object.entries(counters))
  process.stderr.write(`reporter:counter:mr-minhash,${name},${count}\n`);
