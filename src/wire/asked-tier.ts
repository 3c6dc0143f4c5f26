import type { ChannelFormatId } from '../canonical/format.ts'
import type { ServedTier } from '../canonical/served-tier.ts'
import { readServedTier } from './served-tier.ts'

/**
 * The usual tier and no dearer one, as callers ask for it: `default` (chat, responses), `standard_only` (messages),
 * `standard` and `unspecified` (Gemini), by the types of the official SDKs, seen 2026-11-22.
 */
const standardWords: ReadonlySet<string> = new Set(['default', 'standard_only', 'standard', 'unspecified'])

export function asksForStandard(tier: string): boolean {
  return standardWords.has(tier)
}

/**
 * Every tier at which an answer may be served for which this tier was asked. A request that asks for none is served at
 * `auto`, the tier that the account is set to; beside any dearer or cheaper one stands `standard`, since a server that
 * does not know a tier serves at its usual one.
 */
export function readAskedTiers(format: ChannelFormatId, word: unknown): readonly ServedTier[] {
  if (typeof word !== 'string' || word === 'auto') return ['auto']
  if (asksForStandard(word)) return ['standard']
  const tier = readServedTier(format, word)
  return tier === undefined || tier === 'standard' ? ['standard'] : [tier, 'standard']
}
