/**
 * The lines of a summary about groups of documents, among them a reference: only pairs of two different groups are found.
 */

import type { GroupRule, ResultParams } from '../../sketch/params.js';
import type { ManifestCounts } from '../facts.js';
import { counted, grouped } from './amounts.js';
import { listed } from './wording.js';

/** The facts behind these lines. */
interface Grouped {
  readonly parameters: ResultParams;
  readonly counts: ManifestCounts;
}

/** `Groups      12 groups by the first part of the place; only pairs of two are looked for`. */
export function groupLine({ counts, parameters: { groups: rule } }: Grouped): string[] {
  const { groups } = counts;
  if (groups === undefined || rule === null) return [];
  return [`Groups      ${counted(groups, 'group')} by ${ruleText(rule)}; only pairs of two are looked for`];
}

/** A note where one group has all documents, so that there is no pair to find. */
export function groupNotes({ counts, parameters: { groups: rule } }: Grouped): string[] {
  if (counts.groups !== 1 || rule === null || rule.by === 'against') return [];
  const option =
    rule.by === 'field' ? `--group-field ${JSON.stringify(rule.field)}` : `--group-by path:${rule.depth}`;
  return [`All documents are of one group (${option}), so that no pair was looked for.`];
}

function ruleText(rule: GroupRule): string {
  if (rule.by === 'field') return `the field ${JSON.stringify(rule.field)}`;
  if (rule.by === 'against') return 'what is new';
  return rule.depth === 1 ? 'the first part of the place' : `the first ${rule.depth} parts of the place`;
}

/**
 * How many of the documents that were compared with a reference have a near-duplicate in it, and how many of these are dropped.
 * A protected document is not dropped, nor is one that contains a smaller document of the reference.
 *
 * @param paths the PATHs of the reference
 */
export function referenceLine({ counts, parameters }: Grouped, paths: readonly string[]): string[] {
  const { reference_documents: reference, reference_matches: matches, read, dropped } = counts;
  if (reference === undefined || matches === undefined) return [];
  const where = paths.length === 0 ? '' : `${listed(paths)} `;
  const found = `${grouped(matches)} of ${counted(read - reference, 'new document')}`;
  const left =
    dropped === matches ? '' : `; ${grouped(dropped)} of them ${dropped === 1 ? 'is' : 'are'} dropped`;
  return [
    `Reference   ${where}(${counted(reference, 'document')}): ${found} ${alikeText(parameters, matches)}${left}`,
  ];
}

function alikeText({ measure, verify, exactDuplicates }: ResultParams, matches: number): string {
  const isOne = matches === 1;
  if (exactDuplicates || verify === 'none') return `${isOne ? 'has' : 'have'} the tokens of a document there`;
  if (measure === 'resemblance') return `${isOne ? 'resembles' : 'resemble'} a document there`;
  return `${isOne ? 'is contained in a document there, or contains' : 'are contained in a document there, or contain'} one`;
}
