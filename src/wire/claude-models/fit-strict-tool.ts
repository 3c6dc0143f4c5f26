import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import type { Dialect } from '../dialect.ts'
import { type FittedSchema, fitSchema } from './schema/fit-schema.ts'
import { mayBeTool, schemaLimits } from './schema/schema-terms.ts'
import { fitOutputSchema } from './write-output-format.ts'

/** The room for what the provider still compiles for a request; each strict tool takes of it. */
export interface StrictCapacity {
  tools: number
  optional: number
  unions: number
}

export interface FittedTool {
  readonly schema: JsonObject
  /** Undefined where the word is left out. */
  readonly strict: boolean | undefined
}

/** The schema of the answer comes first: what is no longer strict about a tool, its caller can still check. */
export function createStrictCapacity({ outputFormat }: ChatRequest, dialect: Dialect): StrictCapacity {
  const { optionalCount = 0, unionCount = 0 } = fitOutputSchema(outputFormat, dialect) ?? {}
  const { tools, optional, unions } = schemaLimits
  return { tools, optional: optional - optionalCount, unions: unions - unionCount }
}

/** A strict tool's schema as the provider takes it; where no accepted schema means the same, the schema unchanged. */
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

/** A tool that lists no parameters has none, whereas an object within a schema may then have any. */
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
