import { defaultAlertRules } from '../../alerts/alert-rule-schema.ts'
import { ONLY_WEBHOOK_NAME } from '../../alerts/alert-schema.ts'
import type { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../kit/json/json.ts'
import { mergePatch } from '../../kit/json/merge-patch.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import { nameInUse, requireSameName } from './edit-object.ts'

/** The parts of the section `alerts` that are changed one by one. */
export const alertParts = ['alert-rules', 'alert-receivers'] as const
export type AlertPart = (typeof alertParts)[number]

export interface AlertPartChange {
  readonly name: string
  readonly change: 'create' | 'replace' | 'patch' | 'remove'
  readonly object: JsonObject
}

export function isAlertPart(kind: string): kind is AlertPart {
  return alertParts.some((part) => part === kind)
}

/**
 * The document with one rule or receiver of its section `alerts` changed. The section is removed with its last entry.
 */
export function editAlertPart(document: JsonObject, part: AlertPart, change: AlertPartChange): JsonObject {
  requireSameName(change.object['name'], change.name)
  const { alerts: before, ...rest } = document
  const section = isJsonObject(before) ? before : {}
  const after = part === 'alert-rules' ? editRules(section, change) : editReceivers(section, change)
  return Object.keys(after).length === 0 ? rest : { ...rest, alerts: after }
}

function editRules(section: JsonObject, change: AlertPartChange): JsonObject {
  const { name } = change
  const rules = objectsIn(section['rules'])
  const index = rules.findIndex((rule) => nameOfRule(rule) === name)
  const found = rules[index]
  if (change.change === 'remove') {
    if (found === undefined) throw noSuchRule(name, rules)
    return withEntries(section, 'rules', rules.toSpliced(index, 1))
  }
  if (change.change === 'create' && found !== undefined) throw nameInUse({ code: 'rule', word: 'rule' }, name)
  const base = found ?? (isDefault(name) ? { kind: name } : undefined)
  if (change.change === 'patch' && base === undefined) throw noSuchRule(name, rules)
  const { name: _, ...next } =
    change.change === 'patch' ? mergePatch(base ?? {}, change.object) : change.object
  const rule = next['kind'] === name ? next : { name, ...next }
  if (found !== undefined) return withEntries(section, 'rules', rules.with(index, rule))
  return withEntries(section, 'rules', [...rules, ...keepDefault(rules, rule), rule])
}

/**
 * A default rule is in force until its kind has a configured rule. It is added to the document together with the
 * first other rule of its kind.
 */
function keepDefault(rules: readonly JsonObject[], rule: JsonObject): readonly JsonObject[] {
  const { kind, name = kind } = rule
  const isFirst = rules.every((other) => other['kind'] !== kind)
  return typeof kind === 'string' && isFirst && name !== kind && isDefault(kind) ? [{ kind }] : []
}

function isDefault(name: string): boolean {
  return defaultAlertRules.some((rule) => rule.name === name)
}

/** A default rule is in force until its kind has a rule. */
function isInForce(name: string, rules: readonly JsonObject[]): boolean {
  return isDefault(name) && rules.every((rule) => rule['kind'] !== name)
}

export function nameOfRule({ name, kind }: JsonObject): JsonValue | undefined {
  return name ?? kind
}

function noSuchRule(name: string, rules: readonly JsonObject[]): GatewayError {
  if (isInForce(name, rules))
    return refuse('config_object_not_found', {
      param: 'name',
      message: `The rule "${name}" has its default, so there is nothing to delete. "off": true turns it off.`,
      fact: { code: 'rule_has_default', values: {} },
    })
  const message = `There is no rule ${JSON.stringify(name)}. "headgate alerts rules" and GET /admin/v1/alerts/rules list them.`
  const fact = unknownName('rule', name, undefined)
  return refuse('config_object_not_found', { param: 'name', message, fact })
}

function editReceivers(section: JsonObject, change: AlertPartChange): JsonObject {
  const { name } = change
  const isWebhook = name === ONLY_WEBHOOK_NAME && section['webhook'] !== undefined
  if (isWebhook && change.change !== 'create') return editWebhook(section, change)
  const receivers = objectsIn(section['receivers'])
  const index = receivers.findIndex((receiver) => receiver['name'] === name)
  const found = receivers[index]
  if (change.change === 'create' && (found !== undefined || isWebhook))
    throw nameInUse({ code: 'receiver', word: 'receiver' }, name)
  const isMade = change.change === 'create' || change.change === 'replace'
  if (found === undefined && !isMade) throw noSuchReceiver(name)
  if (change.change === 'remove') return withEntries(section, 'receivers', receivers.toSpliced(index, 1))
  const next = change.change === 'patch' ? mergePatch(found ?? {}, change.object) : change.object
  const receiver = { ...next, name }
  return withEntries(
    section,
    'receivers',
    found === undefined ? [...receivers, receiver] : receivers.with(index, receiver),
  )
}

/** The names of receiver fields in the section itself, which is the receiver `webhook`. */
const webhookFields: Readonly<Record<string, string>> = {
  url: 'webhook',
  headers: 'headers',
  secret: 'secret',
  allow_private: 'allow_private',
}

function editWebhook(section: JsonObject, { name, change, object }: AlertPartChange): JsonObject {
  const written = Object.values(webhookFields)
  const rest = Object.fromEntries(Object.entries(section).filter(([field]) => !written.includes(field)))
  if (change === 'remove') return rest
  const { type = 'webhook', name: _, ...given } = object
  const unknown = Object.keys(given).find((field) => webhookFields[field] === undefined)
  if (unknown !== undefined || type !== 'webhook') {
    const message = `The receiver "${name}" is the address "alerts.webhook", which gets all alerts. Delete it, and make a receiver in its place.`
    throw refuse('invalid_field', {
      param: unknown ?? 'type',
      message,
      fact: { code: 'webhook_receiver', values: { name } },
    })
  }
  const renamed = Object.fromEntries(
    Object.entries(given).map(([field, value]) => [webhookFields[field] ?? field, value]),
  )
  return mergePatch(change === 'patch' ? section : rest, renamed)
}

function noSuchReceiver(name: string): GatewayError {
  const message = `There is no receiver ${JSON.stringify(name)}. "headgate alerts receivers" and GET /admin/v1/alerts/receivers list them.`
  const fact = unknownName('receiver', name, undefined)
  return refuse('config_object_not_found', { param: 'name', message, fact })
}

function withEntries(
  section: JsonObject,
  list: 'rules' | 'receivers',
  entries: readonly JsonObject[],
): JsonObject {
  const { [list]: _, ...rest } = section
  return entries.length === 0 ? rest : { ...rest, [list]: [...entries] }
}
