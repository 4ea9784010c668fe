/** The stage that finds the documents that decisions name. */
import { DecidedIds } from '../../../output/decidedIds.js';
import { KIND, KINDS, OF_DOCUMENT, OF_RANKED, RANK } from '../../stream/kinds.js';
import { FieldWriter, u32At } from '../../stream/records.js';
import type { StreamStage } from '../../stream/stage.js';

/** Map: documents -> those that decisions name. */
export const decided: StreamStage = {
  reads: 'records',
  kinds: [KINDS.document],
  shuffles: [],
  prefix: 0,
  map(input, out, { manifest: { params, files } }) {
    const ids = new DecidedIds(params.decisions ?? []);
    const [key, told] = [new FieldWriter(), new FieldWriter()];
    while (input.next()) {
      if (input.key[0] !== KINDS.document) continue;
      const { value } = input;
      const id = ids.find(value, OF_DOCUMENT.ranked + OF_RANKED.id);
      if (id < 0) continue;
      const { isProtected } = files[u32At(value, OF_DOCUMENT.ranked + OF_RANKED.place)]!;
      key.kind(KINDS.decided).raw(input.key, KIND);
      told
        .reset()
        .u32(id)
        .raw(value, OF_DOCUMENT.first, OF_DOCUMENT.first + RANK);
      out.put(key.view, told.u8(isProtected === true ? 1 : 0).view);
    }
  },
  reduce: null,
};
