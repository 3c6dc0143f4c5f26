import type { ChannelFormatId } from '../canonical/format.ts'
import type { ServedTier } from '../canonical/served-tier.ts'
import { readServedTier } from './served-tier.ts'

/**
 * Words by which callers request the standard tier and no more expensive one: `default` (chat, responses),
 * `standard_only` (messages), `standard` and `unspecified` (Gemini), by the types of the official SDKs, seen
 * 2026-11-22.
 */
const standardWords: ReadonlySet<string> = new Set(['default', 'standard_only', 'standard', 'unspecified'])

export function requestsStandardTier(tier: string): boolean {
  return standardWords.has(tier)
}

/**
 * Returns every tier at which a request with this tier may be served. A request without a tier is served at `auto`, the
 * tier that the account is set to. The list for any other tier also contains `standard`, since a server that does not
 * know a tier serves at its standard one.
 */
export function possibleTiers(format: ChannelFormatId, word: unknown): readonly ServedTier[] {
  if (typeof word !== 'string' || word === 'auto') return onlyAuto
  if (requestsStandardTier(word)) return onlyStandard
  const tier = readServedTier(format, word)
  return tier === undefined || tier === 'standard' ? onlyStandard : [tier, 'standard']
}

const onlyAuto: readonly ServedTier[] = ['auto']
const onlyStandard: readonly ServedTier[] = ['standard']
