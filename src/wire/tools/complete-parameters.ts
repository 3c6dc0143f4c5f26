import type { LossList } from '../../canonical/loss.ts'
import type { JsonObject } from '../../kit/json/json.ts'

/** Keywords with which a schema may describe the object instead of `properties`. */
const others = ['$ref', 'anyOf', 'oneOf', 'allOf'] as const

/**
 * Adds an empty list of properties to the schema of a function's arguments where it is missing. A schema of an object
 * without arguments may leave the list out, but OpenAI requires it ("object schema missing properties",
 * github.com/github/copilot-cli/issues/2223, seen 2026-11-22). The meaning is the same.
 */
export function completeParameters(parameters: JsonObject, losses: LossList): JsonObject {
  const isWhole = parameters['type'] !== 'object' || parameters['properties'] !== undefined
  if (isWhole || others.some((name) => parameters[name] !== undefined)) return parameters
  losses.lose('foreign-field', 'defaulted', 'tools.parameters.properties')
  return { ...parameters, properties: {} }
}

/**
 * Returns the schema of a function without arguments, which may be described without one. The meaning is the same.
 */
export function describeNoParameters(losses: LossList): JsonObject {
  losses.lose('foreign-field', 'defaulted', 'tools.parameters')
  return { type: 'object', properties: {} }
}
