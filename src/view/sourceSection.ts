/** The section of sources by their drops, and of the reasons of drops. */

import type { ReportedNumbers, SourceNumbers } from '../output/wording/reportedNumbers.js';
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
import type { PageFacts } from './pageFacts.js';
import { compact, paragraph, section, thingsOf } from './parts.js';

function bars(table: Markup): Markup {
  return `<div class="bars">${table}</div>`;
}

/** The name of a source; files in no folder below the PATH have none. */
function sourceMarkup(source: string): Markup {
  return source === '.' || source === './' ? escaped('(files directly in the folder)') : idMarkup(source);
}

/** Most rows of sources: more would be no overview. */
const MOST_ROWS = 30;

/** Sources with their documents and drops. */
function sourceTable(sources: readonly SourceNumbers[], things: string): Markup {
  const named = sources.filter(({ source }) => source !== null).slice(0, MOST_ROWS);
  const rest = sources.filter((row) => !named.includes(row));
  const sumOf = (amount: 'kept' | 'dropped'): number =>
    rest.reduce((sum, row) => sum + row[amount].documents, 0);
  const counted = named.map(({ source, kept, dropped }) => ({
    ...{ name: sourceMarkup(source!), kept: kept.documents, dropped: dropped.documents },
  }));
  const others = { name: escaped('all others'), kept: sumOf('kept'), dropped: sumOf('dropped') };
  const rows = [...counted, ...(rest.length === 0 ? [] : [others])].map(({ name, kept, dropped }) => {
    const all = kept + dropped;
    const share = all === 0 ? 0 : dropped / all;
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

function reasonTable({ reasons }: ReportedNumbers): Markup[] {
  const words: readonly (readonly [string, keyof ReportedNumbers['reasons']])[] = [
    ['the same byte for byte', 'identical'],
    ['the same tokens: other case, punctuation or layout', 'same_tokens'],
    ['nearly the same', 'near'],
  ];
  const rows = words.map(([text, reason]) => {
    const { documents, bytes, tokens } = reasons[reason];
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

export function sourceSection(facts: PageFacts): Markup {
  const { counts, numbers } = facts.manifest;
  if (counts.dropped === 0) return section('sources', 'Sources by drops', [paragraph('Nothing is dropped.')]);
  return section('sources', 'Sources by drops', [
    numbers.sources.length > 0
      ? sourceTable(numbers.sources, thingsOf(facts))
      : paragraph('Sets have no source: rows of many files may make one.'),
    ...reasonTable(numbers),
  ]);
}
