import { DAY_MS } from '../../kit/time/time-units.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type { Condition } from '../alert.ts'
import type { AlertRule } from '../alert-rule-schema.ts'
import type { AlertEnd } from '../open-alerts.ts'

export type ExpiryRule = Extract<AlertRule, { kind: 'key-expiry' | 'certificate-expiry' }>

/** An object that expires at a known time. */
export interface Expiring {
  /** The ID of the object, which stays the same when its name changes. */
  readonly id: string
  readonly name: string
  readonly expiresAtMs: number
}

/** The noun of an object, and the advice before it expires. */
const words = {
  'key-expiry': {
    noun: 'the key',
    advice: 'Extend or rotate it ("headgate keys edit" and "headgate keys rotate"), or revoke it.',
  },
  'certificate-expiry': {
    noun: 'the certificate of',
    advice: 'Renew it and reload the configuration; the files of "tls" and "ca_file" are then read again.',
  },
} as const

export function expiryIdentity({ kind }: Pick<ExpiryRule, 'kind'>, id: string): string {
  return `${kind}:${id}`
}

/** Whether the object expired so long ago that it is no longer reported. */
export function isLongExpired({ beforeMs }: ExpiryRule, { expiresAtMs }: Expiring, nowMs: number): boolean {
  return nowMs - expiresAtMs > beforeMs
}

/** Undefined if the object expires much later, or expired long ago. */
export function expiryCondition(rule: ExpiryRule, object: Expiring, nowMs: number): Condition | undefined {
  const { id, name, expiresAtMs } = object
  const leftMs = expiresAtMs - nowMs
  if (leftMs > rule.beforeMs || isLongExpired(rule, object, nowMs)) return undefined
  const { noun, advice } = words[rule.kind]
  const isExpired = leftMs <= 0
  const subject = `${noun} ${rule.kind === 'key-expiry' ? JSON.stringify(name) : name}`
  const at = writeTime(expiresAtMs)
  return {
    identity: expiryIdentity(rule, id),
    kind: rule.kind,
    rule: rule.name,
    severity: rule.severity ?? (isExpired ? 'critical' : 'warning'),
    level: isExpired ? 2 : 1,
    subject: rule.kind === 'key-expiry' ? { key: name } : { certificate: name },
    message: isExpired
      ? `${subject} expired at ${at}`
      : `${subject} expires at ${at}, in ${writeDays(leftMs)}`,
    advice,
    details: { name, expires_at: at },
  }
}

/** The end of an alert to which its rule no longer applies. `object` is undefined if it is gone. */
export function expiryEnd(
  rule: ExpiryRule,
  name: string,
  object: Expiring | undefined,
  nowMs: number,
): AlertEnd {
  const subject = `${words[rule.kind].noun} ${name}`
  if (object === undefined) return { as: 'changed', message: `${subject} is gone or no longer used` }
  const at = writeTime(object.expiresAtMs)
  return isLongExpired(rule, object, nowMs)
    ? { as: 'expired', message: `${subject} expired at ${at}, and is no longer reported` }
    : { as: 'recovered', message: `${subject} is good until ${at}` }
}

function writeDays(leftMs: number): string {
  const days = Math.floor(leftMs / DAY_MS)
  if (days === 0) return 'less than a day'
  return days === 1 ? '1 day' : `${days} days`
}
