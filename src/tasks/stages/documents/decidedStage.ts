/** The stage that finds the documents that decisions name, with their classes. */
import { DecidedIds } from '../../../output/decidedIds.js';
import { isFirstMember, KIND, KINDS, OF_RANKED, RANK } from '../../stream/kinds.js';
import { u32At } from '../../stream/records.js';
import { joined, type StreamStage } from '../../stream/stage.js';
import { DOCUMENT_KINDS, RankedDocuments } from './namingStages.js';

/** Tags after the rank: the first member of a document's class comes before the document. */
const [FIRST, DECIDED] = [0, 1];

/** Member, if it is not the first -> rank, 0 / first; documents that decisions name -> rank, 1 / number of the id, isProtected. */
export const decided: StreamStage = {
  kinds: [...DOCUMENT_KINDS, KINDS.member],
  shuffles: ['document'],
  prefix: RANK,
  map(input, out, { manifest }) {
    const { params, files } = manifest;
    const ids = new DecidedIds(params.decisions ?? []);
    const documents = new RankedDocuments(manifest, true);
    while (input.next()) {
      const { key } = input;
      if (key[0] === KINDS.member && !isFirstMember(key)) {
        out.key.raw(key, KIND + RANK).u8(FIRST);
        out.write(key.subarray(KIND, KIND + RANK));
      }
      documents.take(input);
      while (documents.next()) {
        const { value, rank } = documents;
        const id = ids.find(value, OF_RANKED.id);
        if (id < 0) continue;
        out.key.u64(rank).u8(DECIDED);
        out.value.u32(id).u8(files.order.isProtected?.[u32At(value, OF_RANKED.place)] ?? 0);
        out.write();
      }
    }
  },
  reduce: joined(RANK, (first, { shared, value }, out) => {
    out.key.kind(KINDS.decided).raw(shared);
    out.value
      .raw(value, 0, 4)
      .raw(first.length > 0 ? first : shared)
      .raw(value, 4);
    out.write();
  }),
};
