import { describeTerms } from '../../access/describe-terms.ts'
import { type Key, type KeyDigest, type KeyTerms, keyTermNames } from '../../access/key.ts'
import type { KeyStore } from '../../access/key-store.ts'
import type { Actor, AuditAction, AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'

/** A change of an existing key. */
export interface KeyChange {
  store(): Promise<unknown>
  /** The changed key, if the change disables or revokes it. */
  readonly restricted: Key | undefined
}

export interface ChangeContext {
  readonly store: KeyStore
  readonly by: Actor
  readonly clock: Clock
}

export function planChange(
  key: Key,
  terms: Partial<KeyTerms>,
  { store, by, clock }: ChangeContext,
): KeyChange {
  const next = { ...key, ...terms }
  const changed = keyTermNames.filter((name) => name in terms)
  const [action, details] = describeChange(key, next, changed)
  const record = { ...by, action, subject: key.id, details, atMs: clock.nowMs() }
  return {
    store: () => refuseRevoked(key, () => store.change(next, changed, record)),
    restricted:
      terms.disabled === true && key.revokedAtMs === undefined ? { ...key, disabled: true } : undefined,
  }
}

/** The previous values of the changed terms, and the new ones. */
function describeChange(
  before: Key,
  after: Key,
  changed: readonly (keyof KeyTerms)[],
): readonly [AuditAction, readonly string[]] {
  const name = `name: ${before.name}`
  if (changed.length === 1 && changed[0] === 'disabled')
    return [after.disabled ? 'key.disable' : 'key.enable', [name]]
  const [old, now] = [describeTerms(before), describeTerms(after)]
  const gone = old.filter((line) => !now.includes(line)).map((line) => `no longer ${line}`)
  const added = now.filter((line) => !old.includes(line) && line !== name)
  return ['key.change', [name, ...gone, ...added]]
}

export interface RotationOrder {
  readonly digest: KeyDigest
  readonly hint: string
  readonly overlapMs: number | undefined
}

const DEFAULT_OVERLAP_MS = DAY_MS

/** A previous secret that was still valid ends at once, as a key has at most two secrets. */
export function planRotation(key: Key, order: RotationOrder, { store, by, clock }: ChangeContext): KeyChange {
  const { digest, hint, overlapMs = DEFAULT_OVERLAP_MS } = order
  const validUntilMs = clock.nowMs() + overlapMs
  const previous = overlapMs === 0 ? undefined : { digest: key.digest, validUntilMs }
  const end = overlapMs === 0 ? 'at once' : `at ${new Date(validUntilMs).toISOString()}`
  const details = [`name: ${key.name}`, `secret: ${hint}…`, `the secret ${key.hint}… ends ${end}`]
  const record: AuditRecord = { ...by, action: 'key.rotate', subject: key.id, details, atMs: clock.nowMs() }
  return {
    store: async () => {
      if (key.revokedAtMs !== undefined) throw refusedRevoked(key)
      if (await store.rotate({ ...key, digest, hint, previous }, key.digest, record)) return
      const now = await store.find(key.id)
      throw now?.revokedAtMs === undefined ? new GatewayError('key_rotated') : refusedRevoked(key)
    },
    restricted: undefined,
  }
}

export function planRevocation(key: Key, { store, by, clock }: ChangeContext): KeyChange {
  const { id, name } = key
  const atMs = key.revokedAtMs ?? clock.nowMs()
  const record = { ...by, action: 'key.revoke', subject: id, details: [`name: ${name}`], atMs } as const
  return { store: () => store.revoke(id, record), restricted: { ...key, revokedAtMs: atMs } }
}

async function refuseRevoked(key: Key, change: () => Promise<boolean>): Promise<void> {
  if (key.revokedAtMs === undefined && (await change())) return
  throw refusedRevoked(key)
}

function refusedRevoked({ name }: Key): GatewayError {
  const message = `Key "${name}" is revoked, which cannot be undone. Make a new key.`
  return refuse('key_not_found', { message, fact: { code: 'key_is_revoked', values: { name } } })
}
