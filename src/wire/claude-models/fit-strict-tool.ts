import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { Dialect } from '../dialect.ts'
import { type FittedSchema, fitSchema } from './schema/fit-schema.ts'
import { mayBeTool, schemaLimits } from './schema/schema-terms.ts'
import { fitOutputSchema } from './write-output-format.ts'

/** The remaining capacity of a request for schemas that the provider compiles. Each strict tool uses some of it. */
export interface StrictCapacity {
  tools: number
  optional: number
  unions: number
}

export interface FittedTool {
  readonly schema: JsonObject
  /** The value of `strict`. Undefined if the field is left out. */
  readonly strict: boolean | undefined
}

/**
 * The capacity for strict tools. The output schema gets its share first: if a tool is not strict, its caller can still
 * check the input.
 */
export function createStrictCapacity({ outputFormat }: ChatRequest, dialect: Dialect): StrictCapacity {
  const { optionalCount = 0, unionCount = 0 } = fitOutputSchema(outputFormat, dialect) ?? {}
  const { tools, optional, unions } = schemaLimits
  return { tools, optional: optional - optionalCount, unions: unions - unionCount }
}

/** Fits a strict tool's schema to the provider. If no accepted schema has the same meaning, it stays unchanged. */
export function fitStrictTool(schema: JsonObject, capacity: StrictCapacity, losses: LossList): FittedTool {
  const closed = closeEmpty(schema)
  const fitted = mayBeTool(schema) ? fitSchema(closed) : undefined
  if (fitted === undefined || !reserveCapacity(fitted, capacity)) {
    losses.lose('tool-strict', 'dropped')
    return { schema, strict: undefined }
  }
  if (fitted.isChanged || closed !== schema) losses.lose('tool-strict', 'approximated')
  return { schema: fitted.schema, strict: true }
}

/** Closes the schema of a tool without parameters. Elsewhere in a schema, such an object could have any properties. */
function closeEmpty(schema: JsonObject): JsonObject {
  const { properties, additionalProperties } = schema
  const isEmpty = isJsonObject(properties) && Object.keys(properties).length === 0
  return isEmpty && additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema
}

function reserveCapacity({ optionalCount, unionCount }: FittedSchema, capacity: StrictCapacity): boolean {
  if (capacity.tools < 1 || capacity.optional < optionalCount || capacity.unions < unionCount) return false
  capacity.tools -= 1
  capacity.optional -= optionalCount
  capacity.unions -= unionCount
  return true
}
