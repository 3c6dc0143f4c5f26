import { createContext, Script } from 'node:vm'
import { lazy } from '../kit/async/lazy.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../kit/json/json.ts'

/** Suggests a text for a property with this name. Undefined where the caller knows no fitting text. */
export type TextHint = (propertyName: string) => string | undefined

interface SchemaContext {
  readonly root: JsonObject
  readonly hint: TextHint
  /** The name of the nearest property, for the hint. */
  readonly name: string
  readonly depth: number
  /** Whether a pattern of the schema took too long. The others are then not tried. */
  readonly patterns: { areSlow: boolean }
  /** The number of values that may still be made. A schema of some bytes can describe more than memory holds. */
  readonly budget: { values: number }
}

/** The depth beyond which optional properties are left out and the shallowest alternative is chosen. */
const MAX_FULL_DEPTH = 8
const MAX_DEPTH = 24
/** The number of values in an instance. Each further value is null. */
const MAX_VALUES = 10_000

/**
 * Creates a small value that the schema allows: required properties only, as few items as possible, and the first
 * alternative that does not refer back to itself. Supports the keywords of structured outputs and tools. Of `pattern`
 * it supports only the most common forms, since a value cannot be made from an arbitrary pattern.
 */
export function createSchemaInstance(schema: JsonValue, hint: TextHint = () => undefined): JsonValue {
  if (!isJsonObject(schema)) return {}
  return instanceOf(schema, {
    root: schema,
    hint,
    name: '',
    depth: 0,
    patterns: { areSlow: false },
    budget: { values: MAX_VALUES },
  })
}

function instanceOf(schema: JsonObject, context: SchemaContext): JsonValue {
  if (context.depth > MAX_DEPTH || !spend(1, context)) return null
  const inner = { ...context, depth: context.depth + 1 }
  if ('const' in schema) return schema['const'] ?? null
  for (const list of [schema['enum'], schema['examples']]) {
    if (isJsonArray(list) && list[0] !== undefined) return list[0]
  }
  if (schema['default'] !== undefined) return schema['default']
  if (typeof schema['$ref'] === 'string') return instanceOf(resolveRef(schema['$ref'], context.root), inner)
  const parts = objectsIn(schema['allOf'])
  if (parts.length > 0) {
    const merged = mergeSchemas(schema, parts, context.root)
    return spend(Object.keys(merged['properties'] ?? {}).length + parts.length, context)
      ? instanceOf(merged, inner)
      : null
  }
  const alternatives = [...objectsIn(schema['anyOf']), ...objectsIn(schema['oneOf'])]
  if (alternatives.length > 0) return instanceOf(pickAlternative(schema, alternatives, context), inner)
  return instanceOfType(typeOf(schema, context), schema, inner)
}

/** Counts values before they are made. Returns false if they are more than may be made. */
function spend(count: number, { budget }: SchemaContext): boolean {
  budget.values -= count
  return budget.values >= 0
}

function instanceOfType(type: string, schema: JsonObject, context: SchemaContext): JsonValue {
  switch (type) {
    case 'object':
      return objectOf(schema, context)
    case 'array':
      return arrayOf(schema, context)
    case 'integer':
      return numberOf(schema, 1)
    case 'number':
      return numberOf(schema, undefined)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return textOf(schema, context)
  }
}

function typeOf(schema: JsonObject, context: SchemaContext): string {
  const { type } = schema
  if (typeof type === 'string') return type
  if (isJsonArray(type)) {
    const wanted = context.depth > MAX_FULL_DEPTH && type.includes('null') ? 'null' : type[0]
    return typeof wanted === 'string' ? wanted : 'null'
  }
  if (isJsonObject(schema['properties']) || isJsonArray(schema['required'])) return 'object'
  return schema['items'] !== undefined || schema['prefixItems'] !== undefined ? 'array' : 'string'
}

function objectOf(schema: JsonObject, context: SchemaContext): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const required = isJsonArray(schema['required']) ? schema['required'] : []
  if (!spend(required.length, context)) return {}
  const entries = required.flatMap((name): [string, JsonValue][] => {
    if (typeof name !== 'string') return []
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [[name, isJsonObject(property) ? instanceOf(property, { ...context, name }) : 'x']]
  })
  return Object.fromEntries(entries)
}

function arrayOf(schema: JsonObject, context: SchemaContext): JsonValue {
  const prefix = objectsIn(schema['prefixItems'])
  if (!spend(prefix.length, context)) return []
  const tuple = prefix.map((item) => instanceOf(item, context))
  const items = isJsonObject(schema['items']) ? schema['items'] : {}
  const min = numberAt(schema, 'minItems') ?? 0
  // One item shows more than an empty list, where the schema allows both.
  const wanted = context.depth > MAX_FULL_DEPTH || numberAt(schema, 'maxItems') === 0 ? min : Math.max(min, 1)
  const missing = Math.max(0, Math.min(wanted, 100) - tuple.length)
  return [...tuple, ...Array.from({ length: missing }, () => instanceOf(items, context))]
}

function numberOf(schema: JsonObject, grain: number | undefined): number {
  const step = numberAt(schema, 'multipleOf') ?? grain
  const small = step ?? 0.5
  const low = numberAt(schema, 'minimum') ?? above(numberAt(schema, 'exclusiveMinimum'), small)
  const high = numberAt(schema, 'maximum') ?? above(numberAt(schema, 'exclusiveMaximum'), -small)
  const value = Math.min(Math.max(1, low ?? 1), high ?? Number.POSITIVE_INFINITY)
  if (step === undefined) return value
  const up = Math.ceil(value / step) * step
  return high !== undefined && up > high ? Math.floor(value / step) * step : up
}

function above(limit: number | undefined, step: number): number | undefined {
  return limit === undefined ? undefined : limit + step
}

const textOfFormat: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  time: '12:00:00Z',
  'date-time': '2026-01-01T12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

const patternSamples = [
  'a',
  'A',
  '1',
  '2026-01-01',
  'a1',
  'A1',
  'abc',
  'ABC',
  '12345',
  'a@example.com',
  '+15550100',
]

function textOf(schema: JsonObject, context: SchemaContext): string {
  const format = typeof schema['format'] === 'string' ? textOfFormat[schema['format']] : undefined
  if (format !== undefined) return format
  if (typeof schema['pattern'] === 'string') return textMatching(schema['pattern'], context)
  const text = context.hint(context.name) ?? 'demo'
  const min = numberAt(schema, 'minLength') ?? 0
  return text.padEnd(Math.min(min, 10_000), '.').slice(0, numberAt(schema, 'maxLength'))
}

/** The time of one pattern. A caller can choose one that no sample ends within a day. */
const PATTERN_LIMIT_MS = 20
/** Patterns run in a separate context, since the engine can only stop a slow pattern there. */
const patternContext = lazy(() =>
  createContext({ samples: patternSamples, pattern: '' }, { microtaskMode: 'afterEvaluate' }),
)
const findSample = lazy(() => new Script('samples.find((sample) => new RegExp(pattern, "u").test(sample))'))

function textMatching(pattern: string, context: SchemaContext): string {
  if (context.patterns.areSlow) return 'demo'
  try {
    patternContext()['pattern'] = pattern
    const found: unknown = findSample().runInContext(patternContext(), { timeout: PATTERN_LIMIT_MS })
    return typeof found === 'string' ? found : 'demo'
  } catch (error) {
    // A caller's schema may contain a pattern that JavaScript cannot compile, or one that takes too long.
    context.patterns.areSlow = isTimeout(error)
    return 'demo'
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

/** Resolves `#`, or a pointer such as `#/$defs/node`. A pointer to a missing definition allows any value. */
function resolveRef(ref: string, root: JsonObject): JsonObject {
  let value: JsonValue | undefined = root
  for (const step of ref.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return isJsonObject(value) ? value : {}
}

function mergeSchemas(schema: JsonObject, parts: readonly JsonObject[], root: JsonObject): JsonObject {
  const { allOf: _merged, ...own } = schema
  const all = [own, ...parts].map((part) =>
    typeof part['$ref'] === 'string' ? resolveRef(part['$ref'], root) : part,
  )
  const properties = Object.assign({}, ...all.map((part) => part['properties']))
  const required = all.flatMap((part) => (isJsonArray(part['required']) ? part['required'] : []))
  return Object.assign({}, ...all, { properties, required })
}

/** Picks an alternative. Keywords next to the alternatives apply to each of them. */
function pickAlternative(
  schema: JsonObject,
  alternatives: readonly JsonObject[],
  context: SchemaContext,
): JsonObject {
  const { anyOf: _any, oneOf: _one, ...own } = schema
  const shallow = alternatives.find((each) => each['type'] === 'null' || !('$ref' in each))
  const picked = context.depth > MAX_FULL_DEPTH ? (shallow ?? alternatives.at(-1)) : alternatives[0]
  return { ...own, ...picked }
}

function numberAt(schema: JsonObject, name: string): number | undefined {
  const value = schema[name]
  return typeof value === 'number' ? value : undefined
}
