import { brand } from '../kit/brand.ts'
import { NO_MULTIPLIER_PPM } from './group.ts'
import type { Caller, KeyId } from './key.ts'
import type { Permission } from './permission.ts'

/** The purpose of a request that Headgate itself sends for a signed-in user of the admin API. */
export type InternalPurpose = 'certification' | 'playground'

/**
 * The internal keys. They have no secret, so nobody can send a request with one, and no key in the store has such an
 * ID. The ledger and the request log show them as the key of Headgate's own requests.
 */
const internalKeys = {
  certification: { id: brand<KeyId>('internal:certification'), name: 'internal:certification' },
  playground: { id: brand<KeyId>('internal:playground'), name: 'internal:playground' },
} as const satisfies Record<InternalPurpose, { readonly id: KeyId; readonly name: string }>

export interface InternalCallerTerms {
  readonly purpose: InternalPurpose
  /** The signed-in user, whose budgets and rate limits apply. Undefined for the admin token and for services. */
  readonly user: string | undefined
  /** The group under which the request is charged; its budgets, rate limits and multiplier apply. */
  readonly group: { readonly name: string; readonly multiplierPpm: number } | undefined
  readonly permission: Permission
}

/** Describes the caller of a request that Headgate sends itself. Every limit applies except those of a key. */
export function describeInternalCaller({ purpose, user, group, permission }: InternalCallerTerms): Caller {
  const { id, name } = internalKeys[purpose]
  return {
    keyId: id,
    keyName: name,
    user,
    group: group?.name,
    expiresAtMs: undefined,
    permission,
    mayDryRun: false,
    tags: {},
    callerTags: false,
    budgets: [],
    endUserBudget: undefined,
    rate: undefined,
    multiplierPpm: group?.multiplierPpm ?? NO_MULTIPLIER_PPM,
    passthrough: [],
  }
}
