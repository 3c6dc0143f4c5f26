import type { OutputFormat } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'
import { fitSchema } from './fit-schema.ts'
import type { RequestContext } from './request-context.ts'

export interface WrittenOutputFormat {
  /** To be spread into `output_config`. */
  readonly outputConfig: JsonObject
  /** What the system is told where the format itself cannot demand it. */
  readonly instruction?: string
}

/**
 * JSON by a schema is demanded where the model can be held to it. Else, and for JSON of any form, which the format
 * cannot demand, the system asks for it. The schema's name is for the provider's own logs and is left out; held to a
 * schema is what `strict` means.
 */
export function writeOutputFormat(
  format: OutputFormat | undefined,
  { dialect, losses }: Omit<RequestContext, 'request'>,
): WrittenOutputFormat {
  if (format === undefined || format.type === 'text') return { outputConfig: {} }
  if (format.type === 'json') {
    losses.add({ feature: 'json-output', kind: 'approximated' })
    return { outputConfig: {}, instruction: JSON_ONLY }
  }
  if (!dialect.jsonSchema) {
    losses.add({ feature: 'json-output', kind: 'approximated' })
    return { outputConfig: {}, instruction: schemaInstruction(format) }
  }
  const { schema, isChanged } =
    dialect.messagesModel === undefined ? unchanged(format) : fitSchema(format.schema)
  if (isChanged) losses.add({ feature: 'json-output', kind: 'approximated' })
  const described = describe(schema, format, losses)
  return { outputConfig: { format: { type: 'json_schema', schema: described } } }
}

type SchemaFormat = Extract<OutputFormat, { readonly type: 'json-schema' }>

function unchanged({ schema }: SchemaFormat): { readonly schema: JsonObject; readonly isChanged: boolean } {
  return { schema, isChanged: false }
}

/** The description, which the format has no field for, is read by the model within the schema. */
function describe(
  schema: JsonObject,
  { description }: SchemaFormat,
  losses: RequestContext['losses'],
): JsonObject {
  if (description === undefined) return schema
  losses.add({ feature: 'json-output', kind: 'approximated', field: 'description' })
  return schema['description'] === undefined ? { ...schema, description } : schema
}

const JSON_ONLY =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.'

function schemaInstruction({ schema, description }: SchemaFormat): string {
  const about = description === undefined ? '' : ` It is: ${description}`
  return `Answer with one JSON value and nothing else: no words before or after it, and no code fence around it.${about} The value must be valid against this JSON Schema:\n${JSON.stringify(schema)}`
}
