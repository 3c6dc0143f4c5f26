import { z } from 'zod'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { configSchema } from '../config-schema.ts'
import type { ConfigPath } from '../source/read-yaml.ts'

/** The configuration's JSON Schema, in the form shipped with the docs. */
export function writeConfigJsonSchema(): JsonObject {
  const schema: unknown = z.toJSONSchema(configSchema, { io: 'input' })
  return isJsonObject(schema) ? { ...schema, title: 'Headgate configuration' } : {}
}

/** The names that a map at this path may have. */
export function knownNamesAt(path: ConfigPath): readonly string[] {
  const whole = writeConfigJsonSchema()
  let candidates = variantsOf(whole, whole)
  for (const step of path) {
    candidates = candidates.flatMap((schema) => variantsOf(stepInto(schema, step), whole))
  }
  return candidates.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : []))
}

function stepInto(schema: JsonObject, step: string | number): JsonValue | undefined {
  if (typeof step === 'number') return schema['items']
  const { properties, additionalProperties } = schema
  return (isJsonObject(properties) ? properties[step] : undefined) ?? additionalProperties
}

/** The variants that a schema allows, with references resolved. */
function variantsOf(schema: JsonValue | undefined, whole: JsonObject): readonly JsonObject[] {
  if (!isJsonObject(schema)) return []
  const { anyOf, $ref } = schema
  if (isJsonArray(anyOf)) return anyOf.flatMap((one) => variantsOf(one, whole))
  return typeof $ref === 'string' ? variantsOf(definitionOf($ref, whole), whole) : [schema]
}

/** The definition that a reference such as `#/$defs/price` names. */
function definitionOf(reference: string, { $defs }: JsonObject): JsonValue | undefined {
  return isJsonObject($defs) ? $defs[reference.slice(reference.lastIndexOf('/') + 1)] : undefined
}
