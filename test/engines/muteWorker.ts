/** A worker file that answers a ping, and any task with something that cannot be sent. */

import type { Answer, Request } from '../../src/engines/protocol.js';

export default function respond(request: Request): unknown {
  if (request === 'ping') return { ok: true, report: 'null', names: [], buffers: [] } satisfies Answer;
  return () => 'a function';
}
