import type { LossList } from '../../canonical/loss.ts'
import type { JsonObject } from '../../kit/json/json.ts'

/** Keywords by which a schema otherwise describes the object. */
const others = ['$ref', 'anyOf', 'oneOf', 'allOf'] as const

/**
 * The schema of a function's arguments with the empty list of properties that a schema of an object without
 * arguments may leave out, and that OpenAI demands ("object schema missing properties",
 * github.com/github/copilot-cli/issues/2223, seen 2026-11-22). It means the same.
 */
export function completeParameters(parameters: JsonObject, losses: LossList): JsonObject {
  const isWhole = parameters['type'] !== 'object' || parameters['properties'] !== undefined
  if (isWhole || others.some((name) => parameters[name] !== undefined)) return parameters
  losses.lose('foreign-field', 'defaulted', 'tools.parameters.properties')
  return { ...parameters, properties: {} }
}
