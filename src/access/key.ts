import type { Branded } from '../kit/values/brand.ts'

export type KeyId = Branded<string, 'KeyId'>
/** Hex of HMAC-SHA-256(pepper, SHA-256(secret)): the only form in which a key's secret is kept. */
export type KeyDigest = Branded<string, 'KeyDigest'>

/** A caller's key, as it is stored. */
export interface Key {
  readonly id: KeyId
  /** Unique among keys that are not revoked. */
  readonly name: string
  readonly digest: KeyDigest
  /** The first characters of the secret, to tell keys apart; empty for keys whose secret we did not make. */
  readonly hint: string
  readonly permission: Permission
  readonly group: string | undefined
  readonly allowIps: readonly string[]
  readonly expiresAtMs: number | undefined
  readonly disabled: boolean
  /** Whether it may see where a request would go, which names channels and credentials. */
  readonly dryRun: boolean
  readonly revokedAtMs: number | undefined
  readonly createdAtMs: number
  /** `bootstrap` keys belong to the configuration file; the others to the store. */
  readonly origin: 'made' | 'bootstrap'
}

/** The public model names that a key is granted (law 11). */
export type Permission =
  | { readonly type: 'all' }
  | { readonly type: 'named'; readonly models: ReadonlySet<string> }

export function permits(permission: Permission, publicName: string): boolean {
  return permission.type === 'all' || permission.models.has(publicName)
}

/** The authenticated sender of a request. */
export interface Caller {
  readonly keyId: KeyId
  readonly keyName: string
  readonly group: string | undefined
  readonly permission: Permission
  readonly mayDryRun?: boolean
}
