import type { SectionView } from '../../../../src/admin/settings/settings-contract.ts'

/** The input that a field of a setting has. */
export type FieldKind =
  | { readonly type: 'count'; readonly min: number; readonly max: number }
  | { readonly type: 'duration' | 'size' | 'lines' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A choice for each name, such as of a key. */
  | { readonly type: 'choices'; readonly choices: readonly string[] }

export interface PlannedField {
  readonly name: string
  readonly kind: FieldKind
}

/** The form of a setting: `word` is one choice in place of fields. */
export interface SettingPlan {
  readonly shape: 'fields' | 'word'
  readonly mayBeOff: boolean
  readonly fields: readonly PlannedField[]
}

type Schema = SectionView['schema']

/** The name of the only field of a setting that is a word. */
export const WORD = 'value'

/** Reads the form of a setting from its JSON Schema. Undefined where it has a field that no input here is for. */
export function planSetting(schema: Schema): SettingPlan | undefined {
  const variants = listVariants(schema)
  const mayBeOff = variants.some(isOff)
  const [only, ...others] = variants.filter((variant) => !isOff(variant))
  if (only === undefined || others.length > 0) return undefined
  if (only['type'] === 'string') {
    const kind = planField(schema)
    return kind && { shape: 'word', mayBeOff: false, fields: [{ name: WORD, kind }] }
  }
  const planned = Object.entries(asSchema(only['properties'])).map(([name, field]) => ({
    name,
    kind: planField(asSchema(field)),
  }))
  const fields = planned.flatMap(({ name, kind }) => (kind === undefined ? [] : [{ name, kind }]))
  return fields.length === 0 || fields.length < planned.length
    ? undefined
    : { shape: 'fields', mayBeOff, fields }
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
  const { type, pattern, minimum, exclusiveMinimum, maximum } = schema
  switch (type) {
    case 'integer': {
      const min = typeof minimum === 'number' ? minimum : Number(exclusiveMinimum ?? -1) + 1
      return { type: 'count', min, max: typeof maximum === 'number' ? maximum : Number.MAX_SAFE_INTEGER }
    }
    case 'boolean':
      return { type: 'choice', choices: ['true', 'false'] }
    case 'string':
      return typeof pattern === 'string' ? planPattern(pattern) : undefined
    case 'array':
      return asSchema(schema['items'])['type'] === 'string' ? { type: 'lines' } : undefined
    case 'object': {
      const each = planField(asSchema(schema['additionalProperties']))
      return each?.type === 'choice' ? { type: 'choices', choices: each.choices } : undefined
    }
    default:
      return undefined
  }
}

/** The units at the end of a pattern say what it is of. */
function planPattern(pattern: string): FieldKind | undefined {
  if (pattern.endsWith('(ms|s|m|h|d)$')) return { type: 'duration' }
  return pattern.endsWith('[Bb]$') ? { type: 'size' } : undefined
}

/** The schemas of which one holds, nested ones made flat. */
function listVariants(schema: Schema): readonly Schema[] {
  const { anyOf } = schema
  return Array.isArray(anyOf) ? anyOf.flatMap((each) => listVariants(asSchema(each))) : [schema]
}

/** `off`, and the `false` that a reader of YAML may make of it. */
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
