/**
 * The door to the three schemes: parameters in, sketcher out.
 *
 * Floor 0. The plain reference that every faster kernel is compared with, bit for bit.
 */
import { createClassicSketcher } from './classic.js';
import { createFssSketcher } from './fss.js';
import { createOphSketcher } from './oph.js';
import type { SketchParams } from './params.js';
import type { Sketcher } from './signature.js';

/** The sketcher for these parameters. It keeps constants only, so one serves any number of signatures. */
export function createSketcher(params: SketchParams): Sketcher {
  switch (params.sketch) {
    case 'fss':
      return createFssSketcher(params.hashes, params.seed);
    case 'classic':
      return createClassicSketcher(params.hashes, params.seed);
    case 'oph':
      return createOphSketcher(params.hashes, params.seed);
  }
}
