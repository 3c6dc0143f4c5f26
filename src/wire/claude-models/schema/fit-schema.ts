import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { areReferencesSound, schemaLists, schemaMaps } from './schema-references.ts'
import { combines, isAccepted, isInexpressible, isObjectSchema, schemaLimits } from './schema-terms.ts'

/** Keywords that do not constrain a value. */
const notes: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])

export interface FittedSchema {
  readonly schema: JsonObject
  /** Whether the schema's meaning changed. */
  readonly isChanged: boolean
  /** The number of optional properties. */
  readonly optionalCount: number
  /** The number of positions where a value can have several types. */
  readonly unionCount: number
}

type Findings = { -readonly [Name in Exclude<keyof FittedSchema, 'schema'>]: FittedSchema[Name] } & {
  isExpressible: boolean
}

/**
 * Fits a schema to the provider: closes objects, replaces `oneOf` by `anyOf`, and removes keywords that the provider
 * refuses. Undefined if no accepted schema has the same meaning: the schema contains itself, an object has property
 * names that are not known in advance, a value can be anything, or the schema is larger than the provider compiles.
 */
export function fitSchema(schema: JsonObject): FittedSchema | undefined {
  const before = fittings.get(schema)
  if (before !== undefined) return before.fitted
  const fitted = fitAnew(schema)
  fittings.set(schema, { fitted })
  return fitted
}

/** A cache of fitted schemas. Each schema of a request is needed several times, and again for the next target. */
const fittings = new WeakMap<JsonObject, { readonly fitted: FittedSchema | undefined }>()

function fitAnew(schema: JsonObject): FittedSchema | undefined {
  const findings: Findings = { isChanged: false, isExpressible: true, optionalCount: 0, unionCount: 0 }
  const fitted = fitObject(schema, findings)
  const { isExpressible, ...found } = findings
  return isExpressible && areReferencesSound(fitted) ? { schema: fitted, ...found } : undefined
}

function fitObject(schema: JsonObject, findings: Findings): JsonObject {
  // An inexpressible schema stays so, whatever the rest contains.
  if (!findings.isExpressible) return schema
  const joined = unwrap(schema)
  if (joined['$ref'] !== undefined) return fitReference(joined, findings)
  if (isInexpressible(joined)) findings.isExpressible = false
  const typed = fitType(joined, findings)
  const entries = Object.entries(typed).flatMap(([name, value]) =>
    value === undefined ? [] : fitKeyword([name, value], typed, findings),
  )
  const fitted = Object.fromEntries(entries)
  countIn(fitted, findings)
  if (!isObjectSchema(fitted) || fitted['additionalProperties'] === false) return fitted
  findings.isChanged = true
  return { ...fitted, additionalProperties: false }
}

/** Libraries wrap a reference in `allOf` to add keywords next to it. The provider refuses references in `allOf`. */
function unwrap(schema: JsonObject): JsonObject {
  const { allOf, ...others } = schema
  const [only, ...more] = isJsonArray(allOf) ? allOf : []
  const isAlone = more.length === 0 && Object.keys(others).every((name) => notes.has(name))
  return isJsonObject(only) && isAlone ? unwrap({ ...only, ...others }) : schema
}

/** Removes the keywords next to a reference, except definitions. The provider's SDK does the same. */
function fitReference(schema: JsonObject, findings: Findings): JsonObject {
  const { $ref: reference, $defs, definitions, ...others } = schema
  if (typeof reference !== 'string') findings.isExpressible = false
  if (Object.keys(others).length > 0) findings.isChanged = true
  const definitionFields = Object.entries({ $defs, definitions }).flatMap(([name, value]) =>
    value === undefined ? [] : fitKeyword([name, value], schema, findings),
  )
  return { $ref: reference, ...Object.fromEntries(definitionFields) }
}

/**
 * Fits the `type` of a schema to the provider. Next to alternatives, `type` is removed. Values of `enum` that do not
 * match the type are removed, since they can never occur. With several types, `type` is removed, since the provider
 * would refuse each value because its type is not the list.
 */
function fitType(schema: JsonObject, findings: Findings): JsonObject {
  const { type, ...others } = schema
  if (combines(schema)) {
    if (type !== undefined) findings.isChanged = true
    return others
  }
  if (type === undefined) {
    if (!isObjectSchema(schema)) return schema
    findings.isChanged = true
    return { type: 'object', ...others }
  }
  const { enum: listed, const: only } = schema
  if (only !== undefined && isJsonArray(type)) return others
  if (!isJsonArray(listed)) return schema
  const types = new Set([type].flat())
  const values = listed.filter((value) => isOfType(value, types))
  if (values.length === 0) findings.isExpressible = false
  return { ...(isJsonArray(type) ? others : schema), enum: values }
}

function isOfType(value: JsonValue, types: ReadonlySet<JsonValue>): boolean {
  if (types.has('integer') && Number.isInteger(value)) return true
  return types.has(value === null ? 'null' : typeof value)
}

function fitKeyword(
  [name, value]: readonly [string, JsonValue],
  schema: JsonObject,
  findings: Findings,
): readonly (readonly [string, JsonValue])[] {
  if (!isAccepted(name, value, schema)) {
    findings.isChanged = true
    return []
  }
  if (schemaMaps.has(name) && isJsonObject(value)) {
    const named = Object.entries(value).map(([key, each]) => [key, fitValue(each, findings)] as const)
    return [[name, Object.fromEntries(named)]]
  }
  if (name === 'items') return [[name, fitValue(value, findings)]]
  if (!schemaLists.has(name) || !isJsonArray(value)) return [[name, value]]
  if (name === 'oneOf') findings.isChanged = true
  return [[name === 'oneOf' ? 'anyOf' : name, value.map((each) => fitValue(each, findings))]]
}

/**
 * Fits a value where a schema is required. The provider accepts neither `true`, which allows any value, nor lists of
 * schemas.
 */
function fitValue(value: JsonValue | undefined, findings: Findings): JsonValue {
  if (isJsonObject(value)) return fitObject(value, findings)
  findings.isExpressible = false
  return value ?? null
}

function countIn(schema: JsonObject, findings: Findings): void {
  const { properties, required, type, anyOf } = schema
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  const demanded = new Set<JsonValue>(isJsonArray(required) ? required : [])
  findings.optionalCount += names.filter((name) => !demanded.has(name)).length
  if (anyOf !== undefined || (isJsonArray(type) && type.length > 1)) findings.unionCount += 1
  const isSmall =
    findings.optionalCount <= schemaLimits.optional && findings.unionCount <= schemaLimits.unions
  if (!isSmall) findings.isExpressible = false
}
