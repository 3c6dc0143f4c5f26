import type { LossList } from '../../../canonical/loss.ts'
import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/**
 * Writes the output format. The service always enforces a schema, which is what `strict` means. The name of a schema is
 * for a provider's own logs.
 */
export function writeOutputFormat(format: OutputFormat | undefined, losses: LossList): JsonObject {
  if (format === undefined) return {}
  if (format.type === 'text') return { responseMimeType: 'text/plain' }
  if (format.type === 'json') return { responseMimeType: 'application/json' }
  const { description, schema } = format
  const isDescribed = description !== undefined && schema['description'] === undefined
  if (description !== undefined) {
    losses.lose('json-output', 'approximated', 'description')
  }
  return {
    responseMimeType: 'application/json',
    responseJsonSchema: isDescribed ? { ...schema, description } : schema,
  }
}
