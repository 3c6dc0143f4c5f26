import type { OutputFormat } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Dialect } from '../dialect.ts'
import type { RequestContext } from './request-context.ts'
import { type FittedSchema, fitSchema } from './schema/fit-schema.ts'
import { mayBeTool } from './schema/schema-terms.ts'

export interface WrittenOutputFormat {
  /** The fields to spread into `output_config`. */
  readonly outputConfig: JsonObject
  /** The system instruction where the format itself cannot demand it. */
  readonly instruction?: string
}

/** The schema in which the format itself demands an answer; undefined where it cannot, or where none is asked for. */
export function fitOutputSchema(
  format: OutputFormat | undefined,
  { jsonSchema, messagesModel }: Dialect,
): FittedSchema | undefined {
  if (format?.type !== 'json-schema' || !jsonSchema) return undefined
  if (messagesModel !== undefined) return fitSchema(format.schema)
  return { schema: format.schema, isChanged: false, optionalCount: 0, unionCount: 0 }
}

/** Whether a tool that has the schema can stand in for a format that cannot demand it. */
export function isForTool(format: OutputFormat | undefined, dialect: Dialect): boolean {
  if (format?.type !== 'json-schema' || fitOutputSchema(format, dialect) !== undefined) return false
  return dialect.messagesModel === undefined || mayBeTool(format.schema)
}

/**
 * JSON by a schema is demanded where the model can be held to it. Else, and for JSON of any form, which the format
 * cannot demand, the system asks for it. The schema's name is for the provider's own logs and is left out; held to a
 * schema is what `strict` means.
 */
export function writeClaudeOutputFormat(
  format: OutputFormat | undefined,
  { dialect, losses }: Omit<RequestContext, 'request'>,
): WrittenOutputFormat {
  if (format === undefined || format.type === 'text') return { outputConfig: {} }
  if (format.type === 'json') {
    losses.lose('json-output', 'approximated')
    return { outputConfig: {}, instruction: JSON_ONLY }
  }
  const fitted = fitOutputSchema(format, dialect)
  if (fitted === undefined) {
    losses.lose('json-output', 'approximated')
    return { outputConfig: {}, instruction: schemaInstruction(format) }
  }
  if (fitted.isChanged) losses.lose('json-output', 'approximated')
  const described = describe(fitted.schema, format, losses)
  return { outputConfig: { format: { type: 'json_schema', schema: described } } }
}

type SchemaFormat = Extract<OutputFormat, { readonly type: 'json-schema' }>

/**
 * The description, which the format has no field for, is read by the model within the schema; beside a
 * reference nothing else may stand.
 */
function describe(
  schema: JsonObject,
  { description }: SchemaFormat,
  losses: RequestContext['losses'],
): JsonObject {
  if (description === undefined) return schema
  losses.lose('json-output', 'approximated', 'description')
  if (schema['description'] !== undefined) return schema
  const { $ref: reference, ...others } = schema
  if (reference === undefined) return { ...schema, description }
  return { ...others, anyOf: [{ $ref: reference }], description }
}

const JSON_ONLY =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.'

function schemaInstruction({ schema, description }: SchemaFormat): string {
  const about = description === undefined ? '' : ` It is: ${description}`
  return `Answer with one JSON value and nothing else: no words before or after it, and no code fence around it.${about} The value must be valid against this JSON Schema:\n${JSON.stringify(schema)}`
}
