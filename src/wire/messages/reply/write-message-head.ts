import type { Reply } from '../../../canonical/reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/**
 * The fields that open a message, whole or streamed; those that the official types require are null where unknown. The
 * format has no creation time.
 */
export function writeMessageHead(reply: Pick<Reply, 'id' | 'model'>): JsonObject {
  return {
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    container: null,
    diagnostics: null,
  }
}
