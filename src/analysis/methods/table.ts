/** The methods by name; a new one is a file of this folder, its word in METHOD_NAMES (method.ts) and a row here. */

import type { Method, MethodName } from './method.js';
import { containment, resemblance } from './resemblance.js';
import { sswf } from './sswf/sswf.js';

const METHODS: Readonly<Partial<Record<MethodName, Method>>> = {
  resemblance,
  containment,
  sswf,
};

export function methodNamed(name: MethodName): Method {
  return METHODS[name]!;
}

/** Names of the values of a method, in their order; answers are ranked by the first. */
export function methodMeasures(name: MethodName): readonly string[] {
  return methodNamed(name).measures;
}
