import type { LossList } from '../../canonical/loss.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { JsonObject } from '../../kit/json.ts'

/** The fields that open a message, whole or streamed; those that the official types demand are null where unknown. */
export function writeMessageHead(
  reply: Pick<Reply, 'id' | 'model' | 'createdAtSeconds'>,
  losses: LossList,
): JsonObject {
  if (reply.createdAtSeconds !== undefined) {
    losses.add({ feature: 'foreign-field', kind: 'dropped', field: 'created' })
  }
  return {
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    container: null,
    diagnostics: null,
  }
}
