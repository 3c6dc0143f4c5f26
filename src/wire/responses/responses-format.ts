import { readError } from '../chat/read-error.ts'
import type { WireFormat } from '../wire-format.ts'
import { losable, paramOf } from './loss-params.ts'
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

/** OpenAI's Responses API. A channel's base address ends in `/v1`, as the official SDK takes it. */
export const responsesFormat: WireFormat = {
  id: 'responses',
  kind: 'conversation',
  family: 'responses',
  path: '/responses',
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  createStreamReader,
  createStreamWriter,
  paramOf,
  losable,
  scanRequest,
  spliceRequest,
  // The event that ends a stream of this format always carries usage.
  asksForUsage: () => true,
  createStreamWatcher,
  watchReply,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeaders: (requestId) => ({ 'x-request-id': requestId }),
  heartbeat: ': heartbeat\n\n',
  terminator,
}
