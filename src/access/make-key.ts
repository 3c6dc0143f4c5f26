import type { KeyObject } from 'node:crypto'
import { brand } from '../kit/brand.ts'
import type { Clock } from '../kit/clock.ts'
import type { Random } from '../kit/random.ts'
import { digestSecret } from './digest-secret.ts'
import type { Key, KeyId, Permission } from './key.ts'

/** What whoever orders a key decides. */
export interface KeyTerms {
  readonly name: string
  /** Public model names; `*` grants every one. */
  readonly models: readonly string[]
  readonly group: string | undefined
  readonly allowIps: readonly string[]
  readonly expiresAtMs: number | undefined
}

export interface KeyMaker {
  readonly pepper: KeyObject
  readonly clock: Clock
  readonly random: Random
}

export interface KeyOrder {
  readonly terms: KeyTerms
  readonly secret: string
  /** See `Key.hint`. */
  readonly hint: string
  readonly origin: Key['origin']
}

/** A key as the store keeps it; its secret stays behind. */
export function makeKey({ terms, secret, hint, origin }: KeyOrder, maker: KeyMaker): Key {
  return {
    id: brand<KeyId>(`key_${maker.random.bytes(12).toString('hex')}`),
    name: terms.name,
    digest: digestSecret(secret, maker.pepper),
    hint,
    permission: readPermission(terms.models),
    group: terms.group,
    allowIps: terms.allowIps,
    expiresAtMs: terms.expiresAtMs,
    disabled: false,
    revokedAtMs: undefined,
    createdAtMs: maker.clock.nowMs(),
    origin,
  }
}

/** The configuration's keys, for `KeyStore.replaceBootstrap`. */
export function makeBootstrapKey(terms: KeyTerms, secret: string, maker: KeyMaker): Key {
  return makeKey({ terms, secret, hint: '', origin: 'bootstrap' }, maker)
}

function readPermission(models: readonly string[]): Permission {
  return models.includes('*') ? { type: 'all' } : { type: 'named', models: new Set(models) }
}
