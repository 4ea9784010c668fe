/**
 * Exact resemblance and containment of shingle sets (Broder 1997, section 2): the share of a base that is in a
 * document, and of a document that is in a base.
 */

import { containmentOf, resemblanceOf } from '../../sketch/similarity.js';
import { largerShareMayReach, mostOf, SharedElements } from './chunks/sharedElements.js';
import type { Method } from './method.js';

/** Finds documents that resemble the base as a whole. */
export const resemblance: Method = {
  name: 'resemblance',
  measures: ['resemblance', 'base_in_document', 'document_in_base'],
  threshold: 0.1,
  weighing: 'none',
  elements: ({ shingle }) => ({ kind: 'shingles', shingle }),
  prepare: (bases, _params, _corpus, least) =>
    new SharedElements(bases, least, 3, {
      // Resemblance is at most either containment.
      mayReach: (common, base, wanted, isWithin) =>
        common / base >= wanted && isWithin(mostOf(common, wanted)),
      write(common, base, document, into) {
        into[0] = resemblanceOf(common, base, document);
        into[1] = containmentOf(common, base);
        into[2] = containmentOf(common, document);
      },
    }),
};

/**
 * Finds documents that contain the base, or that the base contains, ranked by the larger share, ties by resemblance.
 */
export const containment: Method = {
  name: 'containment',
  measures: ['containment', 'resemblance', 'base_in_document', 'document_in_base'],
  // Low enough to find thirty words in a text of two thousand words.
  threshold: 0.01,
  weighing: 'none',
  elements: ({ shingle }) => ({ kind: 'shingles', shingle }),
  prepare: (bases, _params, _corpus, least) =>
    new SharedElements(bases, least, 4, {
      mayReach: largerShareMayReach,
      write(common, base, document, into) {
        into[2] = containmentOf(common, base);
        into[3] = containmentOf(common, document);
        into[0] = Math.max(into[2], into[3]);
        into[1] = resemblanceOf(common, base, document);
      },
    }),
};
