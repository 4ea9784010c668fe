/** The file that the thread that fetches runs: errands come by a port, answers go by one of their own. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { FetchedObjects } from './fetchedObjects.js';
import type { Answers, Errand, ErrandAnswer, FetchSetup } from './messages.js';
import { faultIn } from './replies.js';

interface Post {
  readonly errand: Errand;
  readonly reply?: MessagePort;
}

const { port, signal } = workerData as FetchSetup & { readonly port: MessagePort };
const answers = new Int32Array(signal);
const objects = new FetchedObjects();

port.on('message', ({ errand, reply }: Post) => {
  if (errand.kind === 'announce') objects.announce(errand.objects);
  else if (errand.kind === 'ahead') objects.ahead(errand.file, errand);
  else if (errand.kind === 'close') objects.close(errand.file);
  else if (reply !== undefined) void answer(errand, reply);
});

async function answer(errand: Errand, reply: MessagePort): Promise<void> {
  let given: ErrandAnswer;
  try {
    given = { value: await valueFor(errand) };
  } catch (error) {
    given = { refusal: faultIn(error) };
  }
  reply.postMessage(given, transfers(given));
  reply.close();
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
}

function valueFor(errand: Errand): Promise<Answers[keyof Answers]> {
  if (errand.kind === 'find') return objects.find(errand.address);
  if (errand.kind === 'open') return objects.open(errand);
  if (errand.kind === 'read') return objects.read(errand.file, errand);
  throw new Error(`${errand.kind} has no answer`);
}

/** Bytes are given away and not copied. */
function transfers(given: ErrandAnswer): ArrayBuffer[] {
  if ('refusal' in given) return [];
  const { value } = given;
  const bytes = value instanceof Uint8Array ? value : 'bytes' in value ? value.bytes : null;
  return bytes === null || bytes.length === 0 ? [] : [bytes.buffer as ArrayBuffer];
}
