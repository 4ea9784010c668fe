/**
 * The reference kernel: the plain mathematics of src/sketch behind the Kernel seam.
 *
 * Floor 1.
 */
import { agreementOf } from '../sketch/agreement.js';
import { bandColumns } from '../sketch/bandKeys.js';
import { createRowScatter } from '../sketch/rowScatter.js';
import { createScatteredSketcher } from '../sketch/scatteredSketches.js';
import { createShingleStream } from '../sketch/shingles.js';
import { createSketcher } from '../sketch/sketcher.js';
import { sortUniqueHashes } from '../sketch/sortHashes.js';
import { createThinning } from '../sketch/thinning.js';
import { PlainRows, StreamedSketches } from './documentSketches.js';
import type { Kernel } from './kernel.js';
import { createSetCollector, createSetComparer } from './plainSets.js';

export function createReferenceKernel(): Kernel {
  const setCollector = createSetCollector();
  const setComparer = createSetComparer();
  return {
    name: 'reference',
    shingleStream: createShingleStream,
    sketcher: createSketcher,
    documentSketches: (shingle, sketch, thinning) => {
      const sketcher = createSketcher(sketch);
      const rows = new PlainRows(sketcher.stride);
      return new StreamedSketches((sink) => createShingleStream(shingle, sink), sketcher, rows, thinning);
    },
    bandColumns,
    agreement: agreementOf,
    sortUnique: sortUniqueHashes,
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    thinning: createThinning,
    rowScatter: createRowScatter,
    scatteredSketcher: createScatteredSketcher,
  };
}
