import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { Config } from '../config.ts'
import { configSchema } from '../config-schema.ts'
import { maskSecrets, maskTexts } from '../secrets/mask-secrets.ts'
import { nameOf, type ObjectSection, objectSections, objectsOf } from '../source/document-objects.ts'
import { apiSettings } from './api-document.ts'

const words: Readonly<Record<ObjectSection, string>> = {
  channels: 'channel',
  models: 'model',
  groups: 'group',
  users: 'limits of user',
  budgets: 'budget',
}

/** An object's label in sentences, such as `channel "primary"`. */
export function labelOf(section: ObjectSection, name: string): string {
  return `${words[section]} "${name}"`
}

const MAX_VALUE_CHARACTERS = 120

/** Describes the differences between two documents, one sentence each. Secrets are masked. */
export function describeChanges(
  before: JsonObject,
  after: JsonObject,
  mask: (document: JsonObject) => JsonObject = maskSecrets,
): readonly string[] {
  const [old, now] = [labelObjects(before), labelObjects(after)]
  const [oldShown, nowShown] = [labelObjects(mask(before)), labelObjects(mask(after))]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((label) => {
    const [from, to] = [old.get(label), now.get(label)]
    if (from === undefined) return [`${label} added`]
    if (to === undefined) return [`${label} removed`]
    return changedFields(from, to).map((field) => {
      const shown = `from ${show(oldShown.get(label)?.[field])} to ${show(nowShown.get(label)?.[field])}`
      return `${label}: ${field} changed ${shown}`
    })
  })
}

function labelObjects(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const objects = new Map<string, JsonObject>()
  for (const section of objectSections)
    for (const object of objectsOf(document, section)) objects.set(labelOf(section, nameOf(object)), object)
  for (const name of apiSettings) {
    const value = document[name]
    if (value !== undefined) objects.set(`setting ${name}`, isJsonObject(value) ? value : { value })
  }
  return objects
}

function changedFields(from: JsonObject, to: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return fields.filter((field) => !isSameJson(from[field], to[field]))
}

/** Whether two values are equal. The order of members is ignored. */
export function isSameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return writeSorted(left) === writeSorted(right)
}

function writeSorted(value: JsonValue | undefined): string | undefined {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text
}

/**
 * Parts whose changes are described elsewhere, object by object. `describeChanges` describes channels, models and
 * settings. The store of keys describes each key.
 */
const emittedElsewhere: ReadonlySet<string> = new Set([...objectSections, 'keys', ...apiSettings])

/** Describes the changes made by another file, one sentence each, without secrets. */
export function describeReload(before: Config, after: Config): readonly string[] {
  const texts = [...before.file.fileTexts, ...after.file.fileTexts]
  const [old, now] = [before.file.value, after.file.value]
  const changes = describeChanges(old, now, (document) => maskTexts(maskSecrets(document), texts))
  const settings = Object.keys(configSchema.shape).filter(
    (name) => !emittedElsewhere.has(name) && !isSameJson(old[name], now[name]),
  )
  const isOtherCertificate = before.tls?.cert !== after.tls?.cert || before.tls?.key !== after.tls?.key
  const all = [
    ...changes,
    ...(isSameJson(old['keys'], now['keys']) ? [] : ['keys changed']),
    ...settings.map((name) => `setting ${name} changed`),
    ...(isOtherCertificate && !settings.includes('tls') ? ['the certificate or its key changed'] : []),
  ]
  return all.length === 0 ? ['nothing changed'] : all
}
