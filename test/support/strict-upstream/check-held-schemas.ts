import { Refusal } from '../agent/conversation.ts'
import { type Fields, fieldsOf, listOf, wordOf } from '../second-reader/meaning.ts'

const refused = [
  'oneOf',
  'not',
  'if',
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
  'prefixItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
]
const formats = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')

/** Refuses the schemas to which the model cannot be held, by M14 to M18 of `rules.md`. */
export function checkHeldSchemas(body: Fields): void {
  const tools = listOf(body['tools']).map(fieldsOf)
  for (const { input_schema: schema } of tools) checkRoot(fieldsOf(schema))
  const strict = tools.filter((tool) => tool['strict'] === true)
  const answer = fieldsOf(fieldsOf(body['output_config'])['format'])['schema']
  const roots = [...strict.map((tool) => tool['input_schema']), ...(answer === undefined ? [] : [answer])]
  for (const root of roots.map(fieldsOf)) {
    checkCycles(root)
    for (const schema of listSchemas(root)) checkSchema(schema)
  }
  const all = roots.flatMap((root) => listSchemas(fieldsOf(root)))
  const optional = all.reduce((sum, schema) => sum + countOptional(schema), 0)
  const unions = all.filter((schema) => 'anyOf' in schema || listOf(schema['type']).length > 1).length
  if (strict.length > 20 || optional > 24 || unions > 16) refuse('M17', 'Schemas contain too many parameters')
}

function checkRoot(schema: Fields): void {
  const has = ['oneOf', 'allOf', 'anyOf'].some((name) => name in schema)
  if (has) refuse('M18', 'input_schema does not support oneOf, allOf, or anyOf at the top level')
}

function checkSchema(schema: Fields): void {
  const { type, format, minItems, pattern } = schema
  const isObject = type === 'object' || listOf(type).includes('object')
  if (isObject && schema['additionalProperties'] !== false) {
    refuse('M16', "'additionalProperties' must be explicitly set to false")
  }
  const word = refused.find((name) => name in schema)
  if (word !== undefined) refuse('M14', `property '${word}' is not supported`)
  if (minItems !== undefined && minItems !== 0 && minItems !== 1)
    refuse('M14', "'minItems' other than 0 or 1")
  if (format !== undefined && !formats.includes(wordOf(format))) refuse('M14', `format ${String(format)}`)
  if (/\(\?[=!<]|\\[1-9bB]/.test(wordOf(pattern ?? ''))) refuse('M14', `pattern ${wordOf(pattern)}`)
  if (listOf(schema['allOf']).some((each) => '$ref' in fieldsOf(each))) refuse('M14', 'allOf with $ref')
  for (const value of listOf(schema['enum'])) checkValue(value, type)
}

function checkValue(value: unknown, type: unknown): void {
  if (typeof value === 'object' && value !== null) refuse('M14', 'an enum holds more than plain values')
  const isOther = Array.isArray(type) || (type === 'string' && typeof value !== 'string')
  if (isOther) refuse('M14', `Enum value ${JSON.stringify(value)} does not match declared type`)
}

function checkCycles(root: Fields): void {
  const definitions = new Map(
    ['$defs', 'definitions'].flatMap((holder) =>
      Object.entries(fieldsOf(root[holder])).map(([name, value]) => [`#/${holder}/${name}`, fieldsOf(value)]),
    ),
  )
  const follow = (schema: Fields, path: readonly string[]): void => {
    for (const { $ref: reference } of listSchemas(schema)) {
      if (reference === undefined) continue
      const name = wordOf(reference)
      if (name === '#' || path.includes(name))
        refuse('M15', 'Circular reference detected in schema definitions')
      const found = definitions.get(name)
      if (found === undefined) refuse('M15', `Reference to non-existent definition: ${name}`)
      follow(found, [...path, name])
    }
  }
  const { $defs: _defs, definitions: _definitions, ...own } = root
  follow(own, [])
  for (const [name, definition] of definitions) follow(definition, [name])
}

/** The schema and all within it. */
function listSchemas(schema: Fields): readonly Fields[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((name) =>
    Object.values(fieldsOf(schema[name])),
  )
  const listed = ['anyOf', 'allOf', 'oneOf'].flatMap((name) => listOf(schema[name]))
  const items = schema['items'] === undefined ? [] : [schema['items']]
  return [schema, ...[...named, ...listed, ...items].flatMap((each) => listSchemas(fieldsOf(each)))]
}

function countOptional({ properties, required }: Fields): number {
  return Object.keys(fieldsOf(properties)).filter((name) => !listOf(required).includes(name)).length
}

function refuse(rule: string, message: string): never {
  throw new Refusal(`${rule}: ${message}`)
}
