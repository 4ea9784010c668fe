/** The section of sources by their drops, and of the reasons of drops. */

import {
  barMarkup,
  escaped,
  idMarkup,
  type Markup,
  numberText,
  percentText,
  sizeMarkup,
  tableMarkup,
} from './markup.js';
import type { PageFacts, PageNumbers } from './pageFacts.js';
import { compact, paragraph, section, thingsOf } from './parts.js';

function bars(table: Markup): Markup {
  return `<div class="bars">${table}</div>`;
}

/** The name of a source; files in no folder below the PATH have none. */
function sourceMarkup(source: string): Markup {
  return source === '.' || source === './' ? escaped('(files directly in the folder)') : idMarkup(source);
}

/** Sources with their documents and drops. */
function countedTable(sources: PageNumbers['sources'], things: string): Markup {
  const rows = sources.map(({ source, kept, dropped }) => {
    const all = kept + dropped;
    const share = all === 0 ? 0 : dropped / all;
    const name = source === null ? escaped('all others') : sourceMarkup(source);
    return [
      name,
      numberText(all),
      numberText(dropped),
      escaped(percentText(share)),
      barMarkup(share, 'dropped'),
    ];
  });
  const heads = [
    { title: 'source' },
    { title: things, isNumber: true },
    { title: 'dropped', isNumber: true },
    { title: 'share', isNumber: true },
    { title: '' },
  ] as const;
  return bars(tableMarkup('The bar is the share of the source that is dropped', heads, rows));
}

/** Sources by the places of the drop list, which has no kept documents. */
function placeTable({ sources, others, manifest }: PageFacts): Markup {
  const { dropped } = manifest.counts;
  const named = sources.map(({ source, dropped: count }) => [sourceMarkup(source), count] as const);
  const all = others > 0 ? [...named, [escaped('all others'), others] as const] : named;
  const rows = all.map(([name, count]) => [
    name,
    numberText(count),
    escaped(percentText(count / dropped)),
    barMarkup(count / dropped, 'dropped'),
  ]);
  const heads = [
    { title: 'source' },
    { title: 'dropped', isNumber: true },
    { title: 'share of all drops', isNumber: true },
    { title: '' },
  ] as const;
  return bars(
    tableMarkup('By the file of records, or the first folder, that a dropped one is in', heads, rows),
  );
}

function reasonTable(numbers: PageNumbers | null): Markup[] {
  if (numbers === null) return [];
  const words: readonly (readonly [string, keyof PageNumbers['reasons']])[] = [
    ['the same byte for byte', 'identical'],
    ['the same tokens: other case, punctuation or layout', 'same_tokens'],
    ['nearly the same', 'near'],
  ];
  const rows = words.map(([text, reason]) => {
    const { documents, bytes, tokens } = numbers.reasons[reason];
    return [
      escaped(text),
      numberText(documents),
      bytes === undefined ? '–' : escaped(sizeMarkup(bytes)),
      numberText(tokens),
    ];
  });
  const heads = [
    { title: 'reason' },
    { title: 'dropped', isNumber: true },
    { title: 'text', isNumber: true },
    { title: 'tokens', isNumber: true },
  ] as const;
  return [
    '<h3>Reasons</h3>',
    compact(tableMarkup('How what is dropped resembles what is kept for it', heads, rows)),
  ];
}

export function sourceSection(facts: PageFacts, numbers: PageNumbers | null): Markup {
  const { counts, parameters } = facts.manifest;
  const given = numbers?.sources ?? [];
  const what =
    counts.dropped === 0
      ? paragraph('Nothing is dropped.')
      : given.length > 0
        ? countedTable(given, thingsOf(facts))
        : parameters.sets === undefined
          ? placeTable(facts)
          : paragraph('Sets have no source: rows of many files may make one.');
  return section('sources', 'Sources by drops', [
    what,
    ...(counts.dropped === 0 ? [] : reasonTable(numbers)),
  ]);
}
