import type { Caller, KeyId, KeyTerms } from '../../src/access/key.ts'
import { brand } from '../../src/kit/brand.ts'

/** The terms of a key that may use everything and has no limit. */
export const openTerms: KeyTerms = {
  name: 'ci',
  permission: { type: 'all' },
  user: undefined,
  group: undefined,
  allowIps: [],
  dryRun: false,
  expiresAtMs: undefined,
  disabled: false,
  budgets: [],
  rate: undefined,
  tags: {},
  callerTags: false,
  endUserBudget: undefined,
  passthrough: [],
}

/** A caller who may use everything and has no limit. */
export const openCaller: Caller = {
  keyId: brand<KeyId>('key_1'),
  keyName: 'ci',
  user: undefined,
  group: undefined,
  expiresAtMs: undefined,
  permission: { type: 'all' },
  mayDryRun: false,
  tags: {},
  callerTags: false,
  budgets: [],
  endUserBudget: undefined,
  rate: undefined,
  multiplierPpm: 1_000_000,
  passthrough: [],
}
