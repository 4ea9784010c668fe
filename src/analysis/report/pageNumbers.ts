/** The numbers by source and reason that a manifest may have, as a page shows them. */

/** What is kept or dropped: documents, bytes of text (none of sets), tokens. */
interface PageAmount {
  readonly documents: number;
  readonly bytes?: number;
  readonly tokens: number;
}

/** The part that a page needs. */
export interface PageNumbers {
  readonly reasons: Readonly<Record<'identical' | 'same_tokens' | 'near', PageAmount>>;
  readonly sources: readonly {
    readonly source: string | null;
    readonly kept: number;
    readonly dropped: number;
  }[];
  readonly thresholds: readonly { readonly threshold: number; readonly dropped: number }[];
}

interface ManifestNumbers extends Pick<PageNumbers, 'reasons' | 'thresholds'> {
  readonly sources: readonly {
    readonly source: string | null;
    readonly kept: PageAmount;
    readonly dropped: PageAmount;
  }[];
}

/** More rows of sources are no overview. */
const MOST_SOURCES = 30;

/** Null where the manifest has none: results of earlier versions. */
export function pageNumbers(manifest: {
  readonly counts: unknown;
  readonly numbers?: ManifestNumbers;
}): PageNumbers | null {
  const { numbers } = manifest;
  if (numbers === undefined) return null;
  const named = numbers.sources.filter(({ source }) => source !== null);
  const rest = [...named.slice(MOST_SOURCES), ...numbers.sources.filter(({ source }) => source === null)];
  const sources = named
    .slice(0, MOST_SOURCES)
    .map(({ source, kept, dropped }) => ({ source, kept: kept.documents, dropped: dropped.documents }));
  const others = rest.reduce(
    (sum, { kept, dropped }) => ({
      kept: sum.kept + kept.documents,
      dropped: sum.dropped + dropped.documents,
    }),
    { kept: 0, dropped: 0 },
  );
  return {
    reasons: numbers.reasons,
    thresholds: numbers.thresholds,
    sources: rest.length === 0 ? sources : [...sources, { source: null, ...others }],
  };
}
