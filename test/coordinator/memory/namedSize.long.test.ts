/** The same as of namedSize.test.ts where what does not fit is known only once it is read: pairs and sets. */
import test from 'ava';
import { nearCopies } from '../../data/nearCopies.js';
import { checkNamedSize, jsonLine, type Shape } from './namedSize.js';

const SHAPES: readonly Shape[] = [
  {
    name: 'near copies',
    file: 'a.jsonl',
    content: () => nearCopies(950).map(jsonLine).join(''),
    code: 'MEMORY_BUDGET',
    documents: 950,
    options: { threshold: 0.5, hotBucket: 1000, verify: 'signature' },
  },
  {
    name: 'pairs of near copies with exact evidence',
    file: 'a.jsonl',
    content: () => nearCopies(5000).map(jsonLine).join(''),
    code: 'MEMORY_BUDGET',
    documents: 5000,
    options: { hotBucket: 300 },
  },
];

for (const shape of SHAPES)
  test.serial(`${shape.name}: the size that the refusal names is enough`, (t) => checkNamedSize(t, shape));
