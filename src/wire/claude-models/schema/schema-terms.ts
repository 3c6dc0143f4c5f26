import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/*
 * The part of JSON Schema that the provider accepts if it enforces a schema: platform.claude.com
 * docs/build-with-claude/structured-outputs ("JSON Schema limitations"), its own SDK's lib/transform-json-schema
 * (1.11.0), and the texts of its refusals that callers report (github.com/vercel/ai/issues/12876,
 * github.com/vercel/ai/issues/20681, github.com/experientiallabs/experiential/pull/804). All seen 2026-11-22.
 */

/** Keywords that the provider refuses, and that only narrow a value: without them more answers are possible. */
const refusedKeywords: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'additionalItems',
  'unevaluatedItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'unevaluatedProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'not',
  'if',
  'then',
  'else',
  // OpenAPI's hint next to `oneOf`, which is not a keyword of JSON Schema.
  'discriminator',
])

/** Keywords that the provider refuses, and that have no equivalent: without them a schema would change its meaning. */
const inexpressibleKeywords = ['prefixItems', 'patternProperties', '$dynamicRef', '$recursiveRef']

const formats: ReadonlySet<JsonValue> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** The constructs that patterns may not contain: lookahead, lookbehind, backreferences, word boundaries. */
const refusedInPatterns = /\(\?(?:[=!]|<[=!])|\\[1-9bB]|\\k</

/** The maximum number of each in one request: all strict tools and the output schema together. */
export const schemaLimits = { tools: 20, optional: 24, unions: 16 }

const choices = ['anyOf', 'oneOf', 'allOf']
const objectKeywords = ['properties', 'required', 'additionalProperties']

/** Whether the provider accepts the keyword with this value. */
export function isAccepted(name: string, value: JsonValue, { type }: JsonObject): boolean {
  switch (name) {
    case 'minItems':
      return value === 0 || value === 1
    case 'format': {
      const isText = type === undefined || type === 'string' || (isJsonArray(type) && type.includes('string'))
      return isText && formats.has(value)
    }
    case 'pattern':
      return typeof value === 'string' && !refusedInPatterns.test(value)
    default:
      return !refusedKeywords.has(name)
  }
}

export function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (isJsonArray(type) && type.includes('object')) || isJsonObject(properties)
}

/** Whether the schema combines other schemas with `anyOf`, `oneOf` or `allOf`. */
export function combines(schema: JsonObject): boolean {
  return choices.some((name) => isJsonArray(schema[name]))
}

/**
 * Whether the schema, strict or not, describes an object at its top level: "input_schema does not support oneOf, allOf,
 * or anyOf at the top level" (github.com/anthropics/claude-code/issues/40075, seen 2026-11-22).
 */
export function mayBeTool(schema: JsonObject): boolean {
  return schema['$ref'] === undefined && !combines(schema)
}

/**
 * Whether the schema itself (apart from its subschemas) cannot be sent to the provider unless the set of allowed
 * answers changes.
 */
export function isInexpressible(schema: JsonObject): boolean {
  return (
    inexpressibleKeywords.some((name) => schema[name] !== undefined) ||
    isOfAnyType(schema) ||
    isOfAnyNames(schema) ||
    hasComplexValues(schema) ||
    isTangled(schema)
  )
}

/** Whether a schema allows any type. The provider's SDK throws on such a schema. */
function isOfAnyType(schema: JsonObject): boolean {
  const { type, enum: values, const: value } = schema
  const isNamed = type !== undefined || values !== undefined || value !== undefined
  return !isNamed && !isObjectSchema(schema) && !combines(schema)
}

/**
 * Whether an object has property names that are not known in advance. The provider accepts only closed objects, so such
 * a map would always be empty.
 */
function isOfAnyNames(schema: JsonObject): boolean {
  const { properties, additionalProperties: others } = schema
  if (!isObjectSchema(schema) || combines(schema) || others === false) return false
  const isListed = isJsonObject(properties) && Object.keys(properties).length > 0
  return !isListed || (isJsonObject(others) && Object.keys(others).length > 0)
}

function hasComplexValues({ enum: values, const: value }: JsonObject): boolean {
  const all = [...(isJsonArray(values) ? values : []), ...(value === undefined ? [] : [value])]
  return all.some((each) => typeof each === 'object' && each !== null)
}

/**
 * Whether a schema combines objects with other constraints. Each object would have to be closed by itself, and then no
 * value would match them all. References within `allOf` are refused.
 */
function isTangled(schema: JsonObject): boolean {
  const used = choices.filter((name) => isJsonArray(schema[name]))
  if (used.length === 0) return false
  if (used.length > 1 || objectKeywords.some((name) => schema[name] !== undefined)) return true
  const { allOf } = schema
  return isJsonArray(allOf) && allOf.some((each) => isJsonObject(each) && mayBeObject(each))
}

function mayBeObject(schema: JsonObject): boolean {
  return isObjectSchema(schema) || schema['$ref'] !== undefined || combines(schema)
}
