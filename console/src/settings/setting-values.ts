import type { SectionView } from '../../../src/admin/settings/settings-contract.ts'
import { readAmount } from '../forms/read-amount.ts'
import type { FieldKind, SettingPlan } from './setting-plan.ts'

/** A name with its choice, such as a key with its capture mode, or a header with its new value. */
export interface NamedChoice {
  readonly name: string
  readonly choice: string
}

export type TypedField = string | readonly NamedChoice[]
type Json = SectionView['value']

export const settingStates = ['default', 'set', 'off'] as const

/** The typed texts by field. An empty text resets the field to its default. */
export type SettingValues = {
  /** Whether the setting has its default, is off, or has the values of the fields. */
  readonly state: (typeof settingStates)[number]
  readonly fields: Readonly<Record<string, TypedField>>
}

/** Reads the written value of a setting. Null if nothing is written. */
export function readSetting(plan: SettingPlan, written: Json): SettingValues {
  const isOff = plan.mayBeOff && (written === 'off' || written === false)
  const members = asMembers(plan.shape === 'word' && written !== null ? { value: written } : written)
  return {
    state: isOff ? 'off' : written === null ? 'default' : 'set',
    fields: Object.fromEntries(plan.fields.map(({ name, kind }) => [name, readField(kind, members[name])])),
  }
}

function readField(kind: FieldKind, value: Json | undefined): TypedField {
  const { type } = kind
  if (type === 'headers') return Object.keys(asMembers(value ?? null)).map((name) => ({ name, choice: '' }))
  if (type === 'choices')
    return Object.entries(asMembers(value ?? null)).map(([name, each]) => ({ name, choice: wordOf(each) }))
  if (type === 'words') return Array.isArray(value) ? value.map(wordOf).join(', ') : ''
  if (type === 'lines') return Array.isArray(value) ? value.map(wordOf).join('\n') : ''
  if (value === undefined || value === null) return ''
  return type === 'choice' && isBoolean(kind) ? String(value) : wordOf(value)
}

/** `false` is an `off` that a YAML parser converted to a boolean. */
function wordOf(value: Json): string {
  return typeof value === 'string' ? value : value === false ? 'off' : JSON.stringify(value)
}

/** The setting in the syntax of the configuration. Undefined resets it to its default. */
export function writeSetting(plan: SettingPlan, { state, fields }: SettingValues): Json | undefined {
  if (state === 'off') return 'off'
  const members = plan.fields.flatMap(({ name, kind }) => {
    const value = writeField(kind, fields[name] ?? '')
    return value === undefined ? [] : [[name, value] as const]
  })
  if (plan.shape === 'word') return members[0]?.[1]
  if (plan.isPart) return Object.fromEntries(members)
  if (members.length === 0 && !(plan.mayBeOff && state === 'set')) return undefined
  return plan.mayBeOff && state === 'default' ? undefined : Object.fromEntries(members)
}

function writeField(kind: FieldKind, typed: TypedField): Json | undefined {
  if (typeof typed !== 'string') {
    const named = typed.filter(({ name }) => name.trim() !== '')
    return named.length === 0
      ? undefined
      : Object.fromEntries(named.map(({ name, choice }) => [name.trim(), choice]))
  }
  const text = typed.trim()
  if (text === '') return undefined
  if (kind.type === 'lines') return text.split('\n').filter((line) => line.trim() !== '')
  if (kind.type === 'words') return text.split(/[,\s]+/).filter((word) => word !== '')
  if (kind.type === 'count' || kind.type === 'number') return readAmount(text)
  return kind.type === 'choice' && isBoolean(kind) ? text === 'true' : text
}

function isBoolean({ choices }: { readonly choices: readonly string[] }): boolean {
  return choices.includes('true')
}

/** The merge patch from one value to the other. A removed field is null. */
export function patchSetting(before: Json, after: Json): Json {
  if (!isMembers(before) || !isMembers(after)) return after
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !isSameSetting(before[name], after[name]))
  return Object.fromEntries(
    changed.map((name) => [name, patchSetting(before[name] ?? null, after[name] ?? null)]),
  )
}

type Members = { readonly [name: string]: Json }

function isMembers(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asMembers(value: Json): Members {
  return isMembers(value) ? value : {}
}

/** Whether two values are equal regardless of the order of their fields. An absent field equals null. */
export function isSameSetting(one: Json = null, other: Json = null): boolean {
  if (!isMembers(one) || !isMembers(other)) return JSON.stringify(one) === JSON.stringify(other)
  return Object.keys(asMembers(patchSetting(one, other))).length === 0
}
