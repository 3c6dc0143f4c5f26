import type { ChannelFormatId } from '../canonical/format.ts'
import type { LossList } from '../canonical/loss.ts'
import { type CommonTier, commonTiers, type ServedTier } from '../canonical/served-tier.ts'
import type { JsonValue } from '../kit/json/json.ts'

type TierWords = Readonly<Partial<Record<CommonTier, string>>>

/** The words of `ServiceTier` in both formats' types (openai 7.55.0, seen 2026-11-22). */
const openaiWords: TierWords = {
  auto: 'auto',
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
  scale: 'scale',
  fast: 'fast',
}

/**
 * Each format's names for the tiers that other formats also know: `Usage.service_tier` (@anthropic-ai/sdk 1.11.0),
 * `ServiceTier` (@google/genai 3.1.0), API_runtime_ServiceTier.html of Bedrock; all seen 2026-11-22. Cohere does not
 * report a tier.
 */
const wordsOf: Readonly<Record<ChannelFormatId, TierWords>> = {
  chat: openaiWords,
  responses: openaiWords,
  messages: { standard: 'standard', priority: 'priority' },
  gemini: { standard: 'standard', flex: 'flex', priority: 'priority' },
  converse: { standard: 'default', flex: 'flex', priority: 'priority' },
  cohere: {},
}

/** Reads the tier that an answer reports; undefined where the value is not a text. */
export function readServedTier(format: ChannelFormatId, word: JsonValue | undefined): ServedTier | undefined {
  if (typeof word !== 'string') return undefined
  return commonTiers.find((tier) => wordsOf[format][tier] === word) ?? { format, word }
}

/**
 * Writes the tier in the caller's word. A tier without a word in the caller's format is left out, which is declared,
 * since clients check the value against their own list.
 */
export function writeServedTier(
  format: ChannelFormatId,
  tier: ServedTier | undefined,
  losses: LossList,
): string | undefined {
  const word = wordIn(format, tier)
  if (word === undefined && tier !== undefined) losses.lose('service-tier', 'dropped')
  return word
}

function wordIn(format: ChannelFormatId, tier: ServedTier | undefined): string | undefined {
  if (typeof tier === 'string') return wordsOf[format][tier]
  return tier?.format === format ? tier.word : undefined
}
