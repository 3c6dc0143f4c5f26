import type { OutputFormat } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Dialect } from '../dialect.ts'
import { jsonInstruction } from '../fields/json-instruction.ts'
import type { RequestContext } from './request-context.ts'
import { type FittedSchema, fitSchema } from './schema/fit-schema.ts'
import { mayBeTool } from './schema/schema-terms.ts'

export interface WrittenOutputFormat {
  /** The fields to spread into `output_config`. */
  readonly outputConfig: JsonObject
  /** The system instruction, if the format itself cannot demand the output format. */
  readonly instruction?: string
}

/**
 * The schema to enforce through the format. Undefined if the format cannot enforce it, or if no schema is requested.
 */
export function fitOutputSchema(
  format: OutputFormat | undefined,
  { jsonSchema, messagesModel }: Dialect,
): FittedSchema | undefined {
  if (format?.type !== 'json-schema' || !jsonSchema) return undefined
  if (messagesModel !== undefined) return fitSchema(format.schema)
  return { schema: format.schema, isChanged: false, optionalCount: 0, unionCount: 0 }
}

/** Whether a tool with the schema can replace an output format that cannot be enforced. */
export function isForTool(format: OutputFormat | undefined, dialect: Dialect): boolean {
  if (format?.type !== 'json-schema' || fitOutputSchema(format, dialect) !== undefined) return false
  return dialect.messagesModel === undefined || mayBeTool(format.schema)
}

/**
 * Demands JSON that matches a schema if the model can enforce it. Otherwise, and for JSON without a schema, which the
 * format cannot demand, a system instruction asks for it. The schema's name is for the provider's own logs and is left
 * out. The format always enforces a schema, which is what `strict` means.
 */
export function writeClaudeOutputFormat(
  format: OutputFormat | undefined,
  { dialect, losses }: Omit<RequestContext, 'request'>,
): WrittenOutputFormat {
  if (format === undefined || format.type === 'text') return { outputConfig: {} }
  if (format.type === 'json') {
    losses.lose('json-output', 'approximated')
    return { outputConfig: {}, instruction: jsonInstruction(format) }
  }
  const fitted = fitOutputSchema(format, dialect)
  if (fitted === undefined) {
    losses.lose('json-output', 'approximated')
    return { outputConfig: {}, instruction: jsonInstruction(format) }
  }
  if (fitted.isChanged) losses.lose('json-output', 'approximated')
  const described = describe(fitted.schema, format, losses)
  return { outputConfig: { format: { type: 'json_schema', schema: described } } }
}

type SchemaFormat = Extract<OutputFormat, { readonly type: 'json-schema' }>

/**
 * Adds the description to the schema, where the model reads it, since the format has no field for it. A reference moves
 * into `anyOf`, since no other keyword is allowed next to it.
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
