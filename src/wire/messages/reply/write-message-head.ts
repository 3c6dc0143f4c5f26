import type { Reply } from '../../../canonical/reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/**
 * The first fields of a message, whole or streamed. Fields that the official types require are null if unknown. The
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
