/** The drop list that `apply` takes: that of the result, or what decisions make of it. */
import { decidedDrops, readDecisions } from '../../output/decisions.js';
import type { Manifest } from '../../output/manifest.js';
import { type DropRow, tableIn } from '../../output/readResult.js';
import { ELSEWHERE, idIn, indexResult, NONE } from '../../output/resultIndex.js';
import type { DecisionRow } from '../../sketch/params.js';

/** Rows of a drop list with the manifest whose counts they have. */
export interface TakenDrops {
  readonly manifest: Manifest;
  rows(): AsyncIterable<DropRow>;
  readonly decisions: readonly DecisionRow[];
}

/**
 * The drop list of a result after the decisions of a file (null: there is none): its rows that stay, then further drops.
 *
 * @throws MinHashError OPTION_INVALID, DOCUMENT_UNKNOWN for decisions that cannot be taken; RESULT_DAMAGED
 */
export async function takenDrops(
  folder: string,
  manifest: Manifest,
  file: string | null,
): Promise<TakenDrops> {
  const decisions = file === null ? [] : readDecisions(file, true);
  if (decisions.length === 0)
    return { manifest, rows: () => tableIn(folder, 'duplicates').rows(), decisions };
  const index = await indexResult(folder, manifest);
  const { keeper, similarity, touched, dropped, kept } = decidedDrops(index, decisions);
  async function* rows(): AsyncGenerator<DropRow> {
    for await (const row of tableIn(folder, 'duplicates').rows()) {
      const document = index.find(row.document);
      const own = document < 0 ? ELSEWHERE : keeper.at(document)!;
      if (own === NONE) continue;
      const isAsBefore = document < 0 || Number.isNaN(similarity.at(document)!);
      yield isAsBefore ? row : { ...row, kept: idIn(index, own), jaccard: similarity.at(document)! };
    }
    for (const document of touched) {
      const own = keeper.at(document)!;
      if (own === NONE || index.keeper.at(document) !== NONE) continue;
      const [row] = await index.clusterRows(document, 1);
      yield {
        document: idIn(index, document),
        // No document replaces a lost text.
        kept: own === document ? '' : idIn(index, own),
        jaccard: similarity.at(document)!,
        containment: null,
        ...(row?.place !== undefined && { place: row.place }),
      };
    }
  }
  const { counts } = manifest;
  const changed = { kept: counts.kept + kept - dropped, dropped: counts.dropped + dropped - kept };
  return { manifest: { ...manifest, counts: { ...counts, ...changed } }, rows, decisions };
}
