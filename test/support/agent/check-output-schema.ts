import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/kit/json/json.ts'
import { Refusal } from './conversation.ts'

/** The demands of a service on the JSON schema that an answer must fulfil. */
export interface SchemaRules {
  /** Whether each property must be named as required. */
  readonly areAllRequired: boolean
}

/**
 * Refuses a schema that leaves an object open, as both services do
 * (https://platform.openai.com/docs/guides/structured-outputs and
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs, seen 2026-11-20). Throws `Refusal`.
 */
export function checkOutputSchema(schema: JsonObject, rules: SchemaRules, path = 'schema'): void {
  if (schema['type'] === 'object') checkObject(schema, rules, path)
  for (const [name, value] of Object.entries(schema)) checkValue(value, rules, `${path}.${name}`)
}

function checkValue(value: JsonValue | undefined, rules: SchemaRules, path: string): void {
  if (isJsonObject(value)) checkOutputSchema(value, rules, path)
  if (!isJsonArray(value)) return
  for (const [index, each] of value.entries()) checkValue(each, rules, `${path}.${index}`)
}

function checkObject(schema: JsonObject, { areAllRequired }: SchemaRules, path: string): void {
  if (schema['additionalProperties'] !== false) {
    throw new Refusal(`${path}: 'additionalProperties' is required to be supplied and to be false`)
  }
  const properties = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const required = isJsonArray(schema['required']) ? schema['required'] : []
  const missing = properties.filter((name) => !required.includes(name))
  if (areAllRequired && missing.length > 0) throw new Refusal(`${path}: 'required' lacks ${missing}`)
}
