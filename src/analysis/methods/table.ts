/** The methods by name. To add one, add a file to this folder, its name to METHOD_NAMES (method.ts) and a row here. */

import { kindOf, MinHashError } from '../../errors.js';
import { cops, copsOverlapping } from './chunks/cops.js';
import { heintze } from './chunks/heintze.js';
import { manber } from './chunks/manber.js';
import { winnowing } from './chunks/winnowing.js';
import { METHOD_NAMES, type Method, type MethodName } from './method.js';
import { containment, resemblance } from './resemblance.js';
import { sswf } from './sswf/sswf.js';
import { cosine, identity, innerProduct, normalisedInnerProduct } from './words/hoadZobel.js';
import { iMatch } from './words/iMatch.js';
import { scam } from './words/scam.js';

const METHODS: Readonly<Record<MethodName, Method>> = {
  resemblance,
  containment,
  sswf,
  cops,
  'cops-overlapping': copsOverlapping,
  scam,
  manber,
  heintze,
  winnowing,
  'i-match': iMatch,
  identity,
  'inner-product': innerProduct,
  'normalised-inner-product': normalisedInnerProduct,
  cosine,
};

export function methodNamed(name: MethodName): Method {
  return METHODS[name];
}

/** A value of a method: its name, and whether it is a whole number. */
export interface MethodMeasure {
  readonly name: string;
  readonly isCount: boolean;
}

/** The values of a method, in order; answers are ranked by the first. */
export function methodMeasures(name: MethodName): readonly MethodMeasure[] {
  if (typeof name !== 'string' || !Object.hasOwn(METHODS, name))
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `method: expected ${METHOD_NAMES.slice(0, -1).join(', ')} or ${METHOD_NAMES.at(-1)}, got ${kindOf(name)}`,
    });
  const { measures, counts = [] } = methodNamed(name);
  return measures.map((measure) => ({ name: measure, isCount: counts.includes(measure) }));
}
