import { type ForcedAnswer, forceAnswer } from '../../../canonical/force-answer.ts'
import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/** The name is for the provider's own logs and does not reach the model, so that making one up changes nothing. */
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

/** Any JSON object, as a schema where the server knows it by no other name. */
function writeAnyJson(context: WriteContext): JsonObject {
  const { jsonObject, jsonSchema } = context.dialect
  if (jsonObject) return { response_format: { type: 'json_object' } }
  context.losses.lose('json-output', jsonSchema ? 'approximated' : 'dropped')
  if (!jsonSchema) return {}
  const json_schema = { name: SCHEMA_NAME, schema: { type: 'object' } }
  return { response_format: { type: 'json_schema', json_schema } }
}

/**
 * A schema as an instruction before all else, where the server takes none: JSON mode alone does not show the model the
 * schema, and some servers refuse JSON mode where no message mentions JSON.
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
  // Some templates know a single message of the system.
  if (isSystem && typeof first['content'] === 'string') {
    return [{ ...first, content: `${first['content']}\n\n${words}` }, ...rest]
  }
  return [{ role: dialect.systemRole, content: words }, ...messages]
}

/**
 * Demands a tool call for the answer's schema, where the server takes no schema of the answer and a call can be
 * demanded.
 */
export function holdToSchema(asked: ChatRequest, context: WriteContext): ForcedAnswer | undefined {
  const { jsonSchema, tools, toolChoices } = context.dialect
  const isForceable =
    toolChoices === 'all' || (toolChoices === 'unforced-thinking' && isReasoningOff(asked.reasoning))
  if (jsonSchema || !tools || !isForceable) return undefined
  const forced = forceAnswer(asked)
  if (forced !== undefined) context.losses.lose('json-output', 'approximated')
  return forced
}
