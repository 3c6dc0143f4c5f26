import type { SectionView } from '../../../src/admin/settings/settings-contract.ts'

/** The kind of input for a field of a setting. */
export type FieldKind =
  | { readonly type: 'count'; readonly min: number; readonly max: number }
  | { readonly type: 'number'; readonly above: number; readonly below: number }
  | { readonly type: 'lines' | 'text' }
  /** A text with a unit that matches the pattern. */
  | { readonly type: 'duration' | 'size'; readonly pattern: string }
  /** A text that is never shown again. */
  | { readonly type: 'secret' }
  /** Names of headers with their values. The values are never shown again. */
  | { readonly type: 'headers' }
  /** Several words, limited to the choices if there are any. */
  | { readonly type: 'words'; readonly choices: readonly string[] }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A choice for each name, for example for each key. */
  | { readonly type: 'choices'; readonly choices: readonly string[] }

export interface PlannedField {
  readonly name: string
  readonly kind: FieldKind
}

/** The form of a setting. `word` is a single choice instead of fields. */
export interface SettingPlan {
  /** Whether the setting has other fields, which stay unchanged. */
  readonly isPart?: boolean
  readonly shape: 'fields' | 'word'
  readonly mayBeOff: boolean
  readonly fields: readonly PlannedField[]
}

type Schema = SectionView['schema']

/** The name of the only field of a setting that is a single word. */
export const WORD = 'value'

/** Derives the form of a setting from its JSON Schema. Undefined if no input supports one of its fields. */
export function planSetting(schema: Schema): SettingPlan | undefined {
  const variants = listVariants(schema)
  const mayBeOff = variants.some(isOff)
  const [only, ...others] = variants.filter((variant) => !isOff(variant))
  if (only === undefined || others.length > 0) return undefined
  if (only['type'] === 'string') {
    const kind = planField(schema)
    return kind?.type === 'choice'
      ? { shape: 'word', mayBeOff: false, fields: [{ name: WORD, kind }] }
      : undefined
  }
  const fields = planFields(only)
  const isWhole = fields.length === Object.keys(asSchema(only['properties'])).length
  const isTyped = fields.every(({ kind }) => !['text', 'secret', 'headers'].includes(kind.type))
  return fields.length > 0 && isWhole && isTyped ? { shape: 'fields', mayBeOff, fields } : undefined
}

/** Derives the form of some fields of a setting. The other fields are changed elsewhere. */
export function planPart(schema: Schema, names: readonly string[]): SettingPlan {
  const fields = planFields(schema).filter(({ name }) => names.includes(name))
  return { shape: 'fields', mayBeOff: false, isPart: true, fields }
}

/** The fields of a map, except those that no input supports. */
function planFields(schema: Schema): readonly PlannedField[] {
  return Object.entries(asSchema(schema['properties'])).flatMap(([name, field]) => {
    const kind = planField(asSchema(field))
    return kind === undefined ? [] : [{ name, kind }]
  })
}

/**
 * Derives the forms of the entries of a list in a section, by the field `word` that distinguishes their kinds.
 * Required fields come first.
 */
export function planEntries(section: Schema, list: string, word: string): ReadonlyMap<string, SettingPlan> {
  const items = asSchema(asSchema(asSchema(section['properties'])[list])['items'])
  const variants = Array.isArray(items['oneOf']) ? items['oneOf'].map(asSchema) : []
  const plans = variants.flatMap((variant) => {
    const words = listWords(asSchema(asSchema(variant['properties'])[word]))
    const required = Array.isArray(variant['required']) ? variant['required'] : []
    const fields = planFields(variant)
      .filter(({ name }) => !['name', 'off', word].includes(name))
      .toSorted((one, other) => Number(required.includes(other.name)) - Number(required.includes(one.name)))
    const plan: SettingPlan = { shape: 'fields', mayBeOff: false, fields }
    return words.map((each) => [each, plan] as const)
  })
  return new Map(plans)
}

function planField(schema: Schema): FieldKind | undefined {
  const variants = listVariants(schema)
  const words = variants.flatMap(listWords)
  const isChoice = variants.every((variant) => isOff(variant) || listWords(variant).length > 0)
  if (isChoice && words.length > 0) return { type: 'choice', choices: [...new Set(words)] }
  const [only, ...others] = variants
  return only === undefined || others.length > 0 ? undefined : planPlain(only)
}

function planPlain(schema: Schema): FieldKind | undefined {
  const { type, title, pattern, minimum, exclusiveMinimum, maximum } = schema
  switch (type) {
    case 'integer': {
      const min = typeof minimum === 'number' ? minimum : Number(exclusiveMinimum ?? -1) + 1
      return { type: 'count', min, max: typeof maximum === 'number' ? maximum : Number.MAX_SAFE_INTEGER }
    }
    case 'number':
      return {
        type: 'number',
        above: Number(schema['exclusiveMinimum'] ?? -1),
        below: Number(schema['exclusiveMaximum'] ?? Number.MAX_SAFE_INTEGER),
      }
    case 'boolean':
      return { type: 'choice', choices: ['true', 'false'] }
    case 'string':
      if (schema['writeOnly'] === true) return { type: 'secret' }
      return planText(title, typeof pattern === 'string' ? pattern : '')
    case 'array':
      return planList(schema)
    case 'object': {
      const each = planField(asSchema(schema['additionalProperties']))
      if (each?.type === 'secret') return { type: 'headers' }
      return each?.type === 'choice' ? { type: 'choices', choices: each.choices } : undefined
    }
    default:
      return undefined
  }
}

function planText(title: Schema[string] | undefined, pattern: string): FieldKind {
  return title === 'duration' || title === 'size' ? { type: title, pattern } : { type: 'text' }
}

/** Names and words are typed one after another. Texts that may contain spaces are typed one per line. */
function planList({ items, minItems }: Schema): FieldKind | undefined {
  const each = asSchema(items)
  if (each['type'] !== 'string') return undefined
  return minItems === undefined ? { type: 'lines' } : { type: 'words', choices: listWords(each) }
}

/** The alternatives of a schema, with nested ones flattened. */
function listVariants(schema: Schema): readonly Schema[] {
  const { anyOf } = schema
  return Array.isArray(anyOf) ? anyOf.flatMap((each) => listVariants(asSchema(each))) : [schema]
}

/** Whether the schema is `off`, or the `false` into which a YAML parser may convert it. */
function isOff(schema: Schema): boolean {
  return schema['const'] === 'off' || schema['const'] === false
}

function listWords({ const: only, enum: several }: Schema): readonly string[] {
  const words = Array.isArray(several) ? several : [only]
  return words.filter((word) => typeof word === 'string')
}

function asSchema(value: Schema[string] | undefined): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
