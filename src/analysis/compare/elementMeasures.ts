/**
 * Measures of sets and bags of elements: exact ones, and the sketches of a run over sets.
 *
 * Bags have two kinds of union (Mining of Massive Datasets, section 3.1.3).
 */
import { checkIterable, checkNumber, kindOf, MinHashError } from '../../errors.js';
import { createSketcher } from '../../sketch/family.js';
import type { SketchName } from '../../sketch/params.js';
import { ElementHash } from '../../text/elements.js';
import { OccurrenceLabels } from '../../text/labels.js';
import { bytesOfText, type Estimate, type Sketch, type Text } from '../measures.js';
import { checkedOptions, OF_SIGNATURES } from './functionOptions.js';
import { parametersText } from './sketchBytes.js';

/** The similarity of two bags. */
export interface BagSimilarity {
  /** Number of common elements: each counts as often as in the bag that has it less often. */
  readonly common: number;
  /** common / (size of a + size of b): at most 1/2, even of a bag with itself. */
  readonly sumUnion: number;
  /**
   * common / (each element as often as in the bag that has it more often): the Jaccard similarity of labeled elements.
   */
  readonly maxUnion: number;
}

/**
 * The similarity of two bags with multiplicities; 0 if both are empty. {1,1,1,2} and {1,1,2,2,3} have 3 in common: 3/9
 * by the sum union, 3/6 by the larger counts.
 */
export function bagSimilarity<Element>(a: Iterable<Element>, b: Iterable<Element>): BagSimilarity {
  const countsA = countsOf(a);
  const countsB = countsOf(b);
  let common = 0;
  for (const [element, count] of countsA.counts) common += Math.min(count, countsB.counts.get(element) ?? 0);
  const total = countsA.size + countsB.size;
  if (total === 0) return { common: 0, sumUnion: 0, maxUnion: 0 };
  return { common, sumUnion: common / total, maxUnion: common / (total - common) };
}

function countsOf<Element>(bag: Iterable<Element>): { counts: Map<Element, number>; size: number } {
  const counts = new Map<Element, number>();
  let size = 0;
  for (const element of checkIterable(bag, 'bag')) {
    counts.set(element, (counts.get(element) ?? 0) + 1);
    size++;
  }
  return { counts, size };
}

/**
 * The similarity by the sum union that corresponds to a resemblance of labeled bags, exact or estimated: with I in
 * common and sizes A and B, J = I / (A + B - I) and I / (A + B) = J / (1 + J). It rises with J, so bounds remain
 * bounds.
 *
 * @throws MinHashError DOCUMENT_INVALID for a value that is not a number or an estimate, OPTION_INVALID for a
 * number that is not a resemblance
 */
export function sumUnionOf(resemblance: number): number;
export function sumUnionOf(resemblance: Estimate): Estimate;
export function sumUnionOf(resemblance: number | Estimate): number | Estimate {
  if (typeof resemblance === 'number') {
    checkNumber('resemblance', resemblance, 'share');
    return resemblance / (1 + resemblance);
  }
  if (typeof resemblance !== 'object' || resemblance === null) {
    const detail = `resemblance: expected a number or an estimate, got ${kindOf(resemblance)}`;
    throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
  }
  const { value, lower, upper } = resemblance;
  return { value: sumUnionOf(value), lower: sumUnionOf(lower), upper: sumUnionOf(upper) };
}

/** How a set or bag becomes a signature; names, ranges and defaults as on the command line. */
export interface ElementOptions {
  /** Whether the n-th occurrence of an element is a distinct element. Default false. */
  readonly bag?: boolean;
  /** Default 1. */
  readonly seed?: number;
  /** Default `fss`. */
  readonly sketch?: SketchName;
  /** Signature length 16..1024, default 128. */
  readonly hashes?: number;
}

/**
 * The signature of a set or bag, equal to that of a run over lines `set TAB element`. Empty elements are ignored, like
 * lines without an element. A set without elements has a signature too, marked as empty.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for an element that is not a text
 */
export function sketchOfElements(elements: Iterable<Text>, options: ElementOptions = {}): Sketch {
  const values = checkedOptions(options, ['bag', 'seed', ...OF_SIGNATURES]);
  const { bag = false, seed = 1, sketch = 'fss', hashes = 128 } = values;
  const sketcher = createSketcher({ sketch, hashes, seed });
  const rows = hashesOf(elements, seed, bag);
  const signature = new Uint32Array(sketcher.stride);
  sketcher.clear(signature);
  sketcher.update(signature, rows, rows.length / 2);
  const parameters = parametersText({ elements: true, bag, seed, sketch, hashes });
  return { slots: signature.slice(0, hashes), empty: rows.length === 0, parameters };
}

function hashesOf(elements: Iterable<Text>, seed: number, bag: boolean): Uint32Array {
  const hash = new ElementHash(seed);
  const texts = [...checkIterable(elements, 'elements')].map(bytesOfText).filter((bytes) => bytes.length > 0);
  const rows = new Uint32Array(2 * texts.length);
  texts.forEach((bytes, i) => {
    hash.write(bytes, 0, bytes.length, rows, 2 * i);
  });
  if (!bag) return rows;
  const labels = new OccurrenceLabels(seed);
  labels.begin();
  labels.label(rows, rows.length / 2);
  return rows;
}
