/** npm minhash: Minhash and LshIndex as its documentation shows them; candidates of 20 bands of 5 rows. */
import { createReadStream, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [source, out] = process.argv.slice(2);
const { Minhash, LshIndex } = createRequire(join(process.cwd(), 'here.js'))('minhash');
const WORDS = 5;
const index = new LshIndex({ bandSize: 5 });
const sketches = new Map();
for await (const line of createInterface({ input: createReadStream(source) })) {
  const { id, text } = JSON.parse(line);
  const words = text.split(' ');
  const sketch = new Minhash({ numPerm: 100 });
  const shingles = new Set();
  for (let i = 0; i === 0 || i + WORDS <= words.length; i++)
    shingles.add(words.slice(i, i + WORDS).join(' '));
  for (const shingle of shingles) sketch.update(shingle);
  index.insert(id, sketch);
  sketches.set(id, sketch);
}
const order = new Map([...sketches.keys()].map((id, i) => [id, i]));
const lines = [];
for (const [id, sketch] of sketches) {
  for (const other of index.query(sketch))
    if (order.get(id) < order.get(other)) lines.push(`${id}\t${other}\n`);
}
writeFileSync(out, lines.join(''));
