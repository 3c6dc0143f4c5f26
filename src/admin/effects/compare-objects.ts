import { keyTermNames } from '../../access/key.ts'
import { apiSettings } from '../../config/layers/api-document.ts'
import { isSameJson } from '../../config/layers/describe-changes.ts'
import { findRestartRequired } from '../../config/layers/find-restart-required.ts'
import { maskSecrets } from '../../config/secrets/mask-secrets.ts'
import { nameOf, type ObjectSection, objectsOf } from '../../config/source/document-objects.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { changedKeys } from './compare-limits.ts'
import { type ComparedState, type Comparison, type FoundEffect, listNames } from './comparison.ts'
import type { FieldChange } from './effect-contract.ts'

/** Added and removed objects, changed settings, and changed fields that no other effect covers. */
export function compareObjects({ before, after }: Comparison): readonly FoundEffect[] {
  return [
    ...describeComing('channels', before, after),
    ...describeDisabled(before, after),
    ...describeComing('groups', before, after),
    ...describeComing('users', before, after),
    ...fieldSections.flatMap((section) => describeFields(section, before, after)),
    ...describeKeyFields(before, after),
    ...describeSettings(before, after),
    ...describeRestart(before, after),
  ]
}

function describeComing(
  kind: 'channels' | 'groups' | 'users',
  before: ComparedState,
  after: ComparedState,
): FoundEffect[] {
  const [old, next] = [namesIn(kind, before), namesIn(kind, after)]
  const added = [...next].filter((name) => !old.has(name))
  const removed = [...old].filter((name) => !next.has(name))
  return [...describeChange(kind, 'added', added), ...describeChange(kind, 'removed', removed)]
}

function describeChange(
  kind: 'channels' | 'groups' | 'users',
  change: 'added' | 'removed' | 'disabled' | 'enabled',
  names: readonly string[],
): FoundEffect[] {
  const severity = change === 'added' || change === 'enabled' ? 'adds' : 'changes'
  return names.length === 0 ? [] : [{ type: 'objects', severity, kind, change, objects: listNames(names) }]
}

function namesIn(section: ObjectSection, { value }: ComparedState): ReadonlySet<string> {
  return new Set(objectsOf(value, section).map(nameOf))
}

function describeDisabled(before: ComparedState, after: ComparedState): FoundEffect[] {
  const [old, next] = [disabledIn(before), disabledIn(after)]
  const [had, has] = [namesIn('channels', before), namesIn('channels', after)]
  const both = [...had].filter((name) => has.has(name))
  return [
    ...describeChange(
      'channels',
      'disabled',
      both.filter((name) => next.has(name) && !old.has(name)),
    ),
    ...describeChange(
      'channels',
      'enabled',
      both.filter((name) => old.has(name) && !next.has(name)),
    ),
  ]
}

function disabledIn({ value }: ComparedState): ReadonlySet<string> {
  const disabled = objectsOf(value, 'channels').filter((channel) => channel['disabled'] === true)
  return new Set(disabled.map(nameOf))
}

const fieldSections = ['channels', 'models', 'groups', 'budgets'] as const

/** The fields that other effects cover. */
const coveredFields: Readonly<Record<(typeof fieldSections)[number], ReadonlySet<string>>> = {
  channels: new Set(['name', 'models', 'disabled', 'priority', 'weight', 'prices', 'price']),
  models: new Set(['name', 'targets', 'fallback', 'strategy', 'price', 'rate']),
  groups: new Set(['name', 'models', 'multiplier', 'budgets', 'rate']),
  budgets: new Set(['name', 'limit_usd']),
}

function describeFields(
  section: (typeof fieldSections)[number],
  before: ComparedState,
  after: ComparedState,
): FoundEffect[] {
  const next = new Map(objectsOf(after.value, section).map((object) => [nameOf(object), object]))
  return objectsOf(before.value, section).flatMap((object): FoundEffect[] => {
    const other = next.get(nameOf(object))
    if (other === undefined || other === object) return []
    const fields = differingFields(object, other).filter((field) => !coveredFields[section].has(field))
    return describeFieldNames(section, nameOf(object), fields)
  })
}

function describeFieldNames(
  kind: 'channels' | 'models' | 'groups' | 'budgets' | 'keys',
  name: string,
  fields: readonly string[],
): FoundEffect[] {
  if (fields.length === 0) return []
  return [{ type: 'object_fields', severity: 'changes', kind, name, fields: listNames(fields) }]
}

function differingFields(before: JsonObject, after: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields.filter((field) => !isSameJson(before[field], after[field]))
}

/** The terms of keys that other effects cover. */
const coveredTerms: ReadonlySet<string> = new Set(['permission', 'budgets', 'endUserBudget', 'rate'])

/** A key's field in the words of the API. */
const termWords: Readonly<Record<string, string>> = {
  allowIps: 'allow_ips',
  expiresAtMs: 'expires_at',
  dryRun: 'dry_run',
  callerTags: 'caller_tags',
}

function describeKeyFields(before: ComparedState, after: ComparedState): FoundEffect[] {
  const next = new Map(changedKeys(after, before).map((key) => [key.id, key]))
  return changedKeys(before, after).flatMap((key) => {
    const other = next.get(key.id)
    if (other === undefined) return []
    const fields = keyTermNames.filter(
      (term) => !coveredTerms.has(term) && JSON.stringify(key[term]) !== JSON.stringify(other[term]),
    )
    const words = fields.map((field) => termWords[field] ?? field)
    return describeFieldNames('keys', key.name, words)
  })
}

function describeSettings(before: ComparedState, after: ComparedState): FoundEffect[] {
  const changed = apiSettings.filter((name) => !isSameJson(before.value[name], after.value[name]))
  if (changed.length === 0) return []
  const [old, next] = [maskSecrets(before.value), maskSecrets(after.value)]
  // The rate of the installation is a limit among others.
  return changed
    .filter((name) => name !== 'rate')
    .map((setting): FoundEffect => {
      const fields = compareSetting(old[setting], next[setting])
      return { type: 'setting', severity: 'changes', setting, fields: [...fields] }
    })
}

/** The shown fields. None if only a secret changed and looks the same when masked. */
function compareSetting(before: JsonValue | undefined, after: JsonValue | undefined): readonly FieldChange[] {
  const [old, next] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((field) => !isSameJson(old[field], next[field]))
    .map((field) => ({ field, before: textOf(old[field]), after: textOf(next[field]) }))
}

/** The values by their path, such as `rules.disk.off`. A setting that is one word has a field without a name. */
function fieldsOf(value: JsonValue | undefined): JsonObject {
  if (value === undefined) return {}
  return Object.fromEntries(listFields(value, []))
}

type FieldEntry = readonly [string, JsonValue | undefined]

function listFields(value: JsonValue | undefined, path: readonly string[]): readonly FieldEntry[] {
  if (isJsonObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, each]) => listFields(each, [...path, name]))
  if (Array.isArray(value) && value.some(isJsonObject))
    return value.flatMap((each, index) => listEntryFields(each, [...path, nameOfEntry(each, index)]))
  return [[path.join('.'), value]]
}

/** An entry without a name has the name of its kind, for example a rule of alerts. */
function nameOfEntry(entry: JsonValue, index: number): string {
  const names = isJsonObject(entry) ? [entry['name'], entry['kind']] : []
  return names.find((each) => typeof each === 'string') ?? String(index + 1)
}

/** The fields of an entry, except the name, which is already in their path. */
function listEntryFields(entry: JsonValue, path: readonly string[]): readonly FieldEntry[] {
  const named = [`${path.join('.')}.name`, `${path.join('.')}.kind`]
  return listFields(entry, path).filter(([field, value]) => !named.includes(field) || value !== path.at(-1))
}

const MAX_VALUE_CHARACTERS = 120

function textOf(value: JsonValue | undefined): string | null {
  if (value === undefined) return null
  const text = writeValue(value)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text
}

function writeValue(value: JsonValue): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.length > 0 ? value.map(writeValue).join(', ') : JSON.stringify(value)
}

function describeRestart(before: ComparedState, after: ComparedState): FoundEffect[] {
  const settings = findRestartRequired(before.config, after.config)
  return settings.length === 0
    ? []
    : [{ type: 'restart', severity: 'changes', settings: listNames(settings) }]
}
