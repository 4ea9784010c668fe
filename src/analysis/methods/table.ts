/** The methods by name; a new one is a file of this folder, its word in METHOD_NAMES (method.ts) and a row here. */

import type { Method, MethodName } from './method.js';
import { containment, resemblance } from './resemblance.js';

export const METHODS: Readonly<Partial<Record<MethodName, Method>>> = {
  resemblance,
  containment,
};
