import type { KeyObject } from 'node:crypto'
import { brand } from '../kit/brand.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import { digestSecret } from './digest-secret.ts'
import type { Key, KeyId, KeyTerms } from './key.ts'
import type { BootstrapKey } from './key-schema.ts'

export interface KeyMaker {
  readonly pepper: KeyObject
  readonly clock: Clock
  readonly random: Random
}

export interface KeyOrder {
  readonly terms: KeyTerms
  readonly secret: string
  /** The hint as described at `Key.hint`. */
  readonly hint: string
  readonly origin: Key['origin']
}

/** Makes a key for the store. The result never holds the secret, even if the given terms do. */
export function makeKey({ terms, secret, hint, origin }: KeyOrder, maker: KeyMaker): Key {
  return {
    id: brand<KeyId>(`key_${maker.random.bytes(12).toString('hex')}`),
    name: terms.name,
    digest: digestSecret(secret, maker.pepper),
    hint,
    previous: undefined,
    permission: terms.permission,
    group: terms.group,
    user: terms.user,
    allowIps: terms.allowIps,
    expiresAtMs: terms.expiresAtMs,
    disabled: terms.disabled,
    dryRun: terms.dryRun,
    budgets: terms.budgets,
    rate: terms.rate,
    tags: terms.tags,
    callerTags: terms.callerTags,
    endUserBudget: terms.endUserBudget,
    passthrough: terms.passthrough,
    revokedAtMs: undefined,
    createdAtMs: maker.clock.nowMs(),
    origin,
  }
}

/** Makes a key of the configuration, for `KeyStore.replaceBootstrap`. */
export function makeBootstrapKey({ secret, ...terms }: BootstrapKey, maker: KeyMaker): Key {
  return makeKey({ terms, secret, hint: '', origin: 'bootstrap' }, maker)
}
