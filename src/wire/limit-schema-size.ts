import { GatewayError } from '../canonical/failure.ts'
import type { ChatRequest, Tool } from '../canonical/request.ts'

/**
 * The maximum number of JSON values in all schemas of a request together. Several hundred tools of a dozen arguments
 * each fit. The bound exists because fitting schemas to another format costs time for each value.
 */
export const MAX_SCHEMA_VALUES = 25_000

/** The fields in which the caller's format holds schemas. */
export interface SchemaParams {
  readonly tools: string
  readonly output: string
}

/**
 * Returns the request unchanged. Throws `json_too_complex` where the schemas of its tools and of its answer are too
 * large together.
 */
export function limitSchemaSize(request: ChatRequest, params: SchemaParams): ChatRequest {
  const { tools = [], outputFormat } = request
  let left = MAX_SCHEMA_VALUES
  for (const tool of tools) {
    left = countDown(schemaOf(tool), left - 1)
    if (left < 0) throw tooManyValues(params.tools)
  }
  if (outputFormat?.type === 'json-schema' && countDown(outputFormat.schema, left) < 0)
    throw tooManyValues(params.output)
  return request
}

function schemaOf(tool: Tool): unknown {
  switch (tool.type) {
    case 'function':
      return tool.parameters
    case 'custom':
      return tool.grammar
    case 'hosted':
      return tool.value
  }
}

/**
 * Subtracts the number of JSON values in `value` from `before`. Stops counting below zero. The depth of the value is
 * already bounded.
 */
function countDown(value: unknown, before: number): number {
  let left = before - 1
  if (typeof value !== 'object' || value === null) return left
  for (const inner of Object.values(value)) {
    if (left < 0) return left
    left = countDown(inner, left)
  }
  return left
}

function tooManyValues(param: string): GatewayError {
  return new GatewayError('json_too_complex', {
    param,
    message: `The schemas of the tools and of the answer hold more than ${MAX_SCHEMA_VALUES} JSON values together. Offer fewer tools, or give them smaller schemas.`,
  })
}
