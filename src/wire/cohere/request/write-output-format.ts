import type { OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { WriteContext } from './write-context.ts'

export interface WrittenFormat {
  readonly fields: JsonObject
  /** The system instruction about the format. */
  readonly messages: readonly JsonObject[]
}

/**
 * Writes the output format. The provider refuses the field together with tools
 * (https://docs.cohere.com/docs/structured-outputs, seen 2026-11-20). Then a system instruction asks for the format.
 */
export function writeOutputFormat(
  format: OutputFormat | undefined,
  hasTools: boolean,
  context: WriteContext,
): WrittenFormat {
  if (format === undefined || format.type === 'text') return { fields: {}, messages: [] }
  if (format.type === 'json-schema' && format.description !== undefined)
    context.losses.lose('json-output', 'approximated')
  if (hasTools) return askInWords(format, context)
  const schema = format.type === 'json-schema' ? { json_schema: format.schema } : {}
  return { fields: { response_format: { type: 'json_object', ...schema } }, messages: [] }
}

function askInWords(format: OutputFormat, context: WriteContext): WrittenFormat {
  context.losses.lose('json-output', 'approximated')
  const content =
    format.type === 'json-schema'
      ? `Give your final answer as one JSON value alone, which fits this JSON schema:\n${JSON.stringify(format.schema)}`
      : 'Give your final answer as one JSON object alone.'
  return { fields: {}, messages: [{ role: 'system', content }] }
}
