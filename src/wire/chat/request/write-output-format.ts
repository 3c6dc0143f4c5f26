import { type ForcedAnswer, forceAnswer } from '../../../canonical/force-answer.ts'
import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/**
 * The name is only for the provider's own logs and does not reach the model. A made-up name therefore changes nothing.
 */
const SCHEMA_NAME = 'response'

export function writeOutputFormat(format: OutputFormat | undefined, context: WriteContext): JsonObject {
  if (format === undefined) return {}
  if (format.type === 'text') return { response_format: { type: 'text' } }
  const { jsonObject, jsonSchema } = context.dialect
  if (format.type === 'json') return writeAnyJson(context)
  if (!jsonSchema) {
    context.losses.lose('json-output', 'approximated')
    return jsonObject ? { response_format: { type: 'json_object' } } : {}
  }
  const { name = SCHEMA_NAME, description, schema, strict } = format
  return {
    response_format: {
      type: 'json_schema',
      json_schema: omitUndefined({ name, description, schema, strict }),
    },
  }
}

/** Asks for any JSON object. A server without JSON mode gets this request as a schema. */
function writeAnyJson(context: WriteContext): JsonObject {
  const { jsonObject, jsonSchema } = context.dialect
  if (jsonObject) return { response_format: { type: 'json_object' } }
  context.losses.lose('json-output', jsonSchema ? 'approximated' : 'dropped')
  if (!jsonSchema) return {}
  const json_schema = { name: SCHEMA_NAME, schema: { type: 'object' } }
  return { response_format: { type: 'json_schema', json_schema } }
}

/**
 * Puts the schema as an instruction before all messages, where the server does not accept schemas. JSON mode alone does
 * not show the model the schema, and some servers reject JSON mode where no message mentions JSON.
 */
export function askForSchema(
  messages: readonly JsonObject[],
  format: OutputFormat | undefined,
  { dialect }: WriteContext,
): readonly JsonObject[] {
  if (format?.type !== 'json-schema' || dialect.jsonSchema) return messages
  const words = `Answer with one JSON value alone, which fits this JSON schema:\n${JSON.stringify(format.schema)}`
  const [first, ...rest] = messages
  const isSystem = first?.['role'] === dialect.systemRole
  // Some templates allow only one system message.
  if (isSystem && typeof first['content'] === 'string') {
    return [{ ...first, content: `${first['content']}\n\n${words}` }, ...rest]
  }
  return [{ role: dialect.systemRole, content: words }, ...messages]
}

/**
 * Forces a tool call for the answer's schema, where the server accepts no schema for the answer but can force a call.
 */
export function holdToSchema(original: ChatRequest, context: WriteContext): ForcedAnswer | undefined {
  const { jsonSchema, tools, toolChoices } = context.dialect
  const isForceable =
    toolChoices === 'all' || (toolChoices === 'unforced-thinking' && isReasoningOff(original.reasoning))
  if (jsonSchema || !tools || !isForceable) return undefined
  const forced = forceAnswer(original)
  if (forced !== undefined) context.losses.lose('json-output', 'approximated')
  return forced
}
