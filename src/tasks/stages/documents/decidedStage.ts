/** The stage that finds the documents that decisions name, with their classes. */
import { DecidedIds } from '../../../output/decidedIds.js';
import { isFirstMember, KIND, KINDS, OF_RANKED, RANK } from '../../stream/kinds.js';
import { FieldWriter, sharesPrefix, u32At } from '../../stream/records.js';
import type { StreamStage } from '../../stream/stage.js';
import { DOCUMENT_KINDS, RankedDocuments } from './namingStages.js';

/** Tags after the rank: the first member of a document's class comes before the document. */
const [FIRST, DECIDED] = [0, 1];

/** Member, if it is not the first -> rank, 0 / first; documents that decisions name -> rank, 1 / number of the id, isProtected. */
export const decided: StreamStage = {
  reads: 'records',
  kinds: [...DOCUMENT_KINDS, KINDS.member],
  shuffles: ['document'],
  prefix: RANK,
  map(input, out, { manifest }) {
    const { params, files } = manifest;
    const ids = new DecidedIds(params.decisions ?? []);
    const documents = new RankedDocuments(manifest, true);
    const [keys, told] = [new FieldWriter(), new FieldWriter()];
    while (input.next()) {
      const { key } = input;
      if (key[0] === KINDS.member && !isFirstMember(key)) {
        keys
          .reset()
          .raw(key, KIND + RANK)
          .u8(FIRST);
        out.put(keys.view, told.reset().raw(key, KIND, KIND + RANK).view);
      }
      documents.take(input);
      while (documents.next()) {
        const { value, rank } = documents;
        const id = ids.find(value, OF_RANKED.id);
        if (id < 0) continue;
        const { isProtected } = files[u32At(value, OF_RANKED.place)]!;
        told
          .reset()
          .u32(id)
          .u8(isProtected === true ? 1 : 0);
        out.put(keys.reset().u64(rank).u8(DECIDED).view, told.view);
      }
    }
  },
  reduce(input, out) {
    const [keys, told, rank, first] = [
      new FieldWriter(),
      new FieldWriter(),
      new FieldWriter(),
      new FieldWriter(),
    ];
    while (input.next()) {
      const { key, value } = input;
      if (key[RANK] === FIRST) {
        rank.reset().raw(key, 0, RANK);
        first.reset().raw(value);
        continue;
      }
      const isMember = rank.size > 0 && sharesPrefix(key, rank.view, RANK);
      told.reset().raw(value, 0, 4);
      told.raw(isMember ? first.view : key, 0, RANK).raw(value, 4);
      out.put(keys.kind(KINDS.decided).raw(key, 0, RANK).view, told.view);
    }
  },
};
