import type { WireFormat } from '../wire-format.ts'
import { losable, paramOf } from './loss-params.ts'
import { readError } from './read-error.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { scanRequest } from './scan-request.ts'
import { spliceRequest } from './splice-request.ts'
import { createStreamReader } from './stream-reader.ts'
import { createStreamWatcher } from './stream-watcher.ts'
import { createStreamWriter, terminator } from './stream-writer.ts'
import { watchReply } from './watch-reply.ts'
import { writeError, writeErrorEvent } from './write-error.ts'
import { writeReply } from './write-reply.ts'
import { writeRequest } from './write-request.ts'

/** Anthropic's Messages API. A channel's base address is the host without `/v1`, as the official SDK takes it. */
export const messagesFormat: WireFormat = {
  id: 'messages',
  kind: 'conversation',
  family: 'messages',
  path: '/v1/messages',
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  createStreamReader,
  createStreamWriter,
  paramOf,
  losable,
  scanRequest,
  // Usage comes with every stream of the format, asked for or not.
  spliceRequest,
  // A stream of this format always carries usage.
  asksForUsage: () => true,
  createStreamWatcher,
  watchReply,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeaders: (requestId) => ({ 'request-id': requestId, 'x-request-id': requestId }),
  heartbeat: 'event: ping\ndata: {"type": "ping"}\n\n',
  terminator,
}
