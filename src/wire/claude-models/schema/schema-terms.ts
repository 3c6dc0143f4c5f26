import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/*
 * The part of JSON Schema that the provider takes where it holds a model to it: platform.claude.com
 * docs/build-with-claude/structured-outputs ("JSON Schema limitations"), its own SDK's lib/transform-json-schema
 * (1.11.0), and the texts of its refusals that callers report (github.com/vercel/ai/issues/12876,
 * github.com/vercel/ai/issues/20681, github.com/experientiallabs/experiential/pull/804). All seen 2026-11-22.
 */

/** Keywords that it refuses and that only narrow what a value may be: without them more answers are possible. */
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
  // OpenAPI's hint beside `oneOf`, no keyword of JSON Schema.
  'discriminator',
])

/** Keywords without which a schema would mean another thing, and for which there is no other word. */
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

/** The most of each that a request may hold in all its strict tools and its schema of the answer together. */
export const schemaLimits = { tools: 20, optional: 24, unions: 16 }

const choices = ['anyOf', 'oneOf', 'allOf']
const objectKeywords = ['properties', 'required', 'additionalProperties']

/** Whether the keyword is accepted with its value. */
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

/** Whether the schema is a choice of others, or several others at once. */
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
 * Whether the schema itself, without its subschemas, cannot be sent to the provider without a change to the answers
 * that it allows.
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

/** Whether a schema allows any type; the SDK throws at one that does. */
function isOfAnyType(schema: JsonObject): boolean {
  const { type, enum: values, const: value } = schema
  const isNamed = type !== undefined || values !== undefined || value !== undefined
  return !isNamed && !isObjectSchema(schema) && !combines(schema)
}

/**
 * Whether an object has names that are not known; the provider takes closed objects alone, and such a map would be
 * empty for ever.
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
 * Whether a schema joins objects: each would have to be closed for itself, and then no value would fit them all.
 * References within `allOf` are refused.
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
