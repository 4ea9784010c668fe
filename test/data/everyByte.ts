/** Whether damage is tried at every place: `npm run test:bytes`. The ordinary tests try it at some. */
export const EVERY_BYTE = process.env.MR_MINHASH_EVERY_BYTE !== undefined;
