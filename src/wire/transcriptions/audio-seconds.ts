import { SECOND_UNIT } from '../../canonical/operations/units.ts'
import { filesOf } from '../../canonical/uploads/uploaded-form.ts'
import { noUsage } from '../../canonical/usage.ts'
import { findAudioSeconds } from '../../kit/media/find-audio-seconds.ts'
import type { MediaEstimate } from '../operations/media-format.ts'
import { type SpendingTerms, termsWithoutOutput } from '../spending-terms.ts'
import type { ScannedRequest } from '../wire-format.ts'

/** OpenAI's models read 1,000 tokens per minute of audio (https://openai.com/api/pricing, seen 2026-11-24). */
const LIKELY_TOKENS_A_SECOND = 17
/**
 * Gemini's models read 32 tokens per second (https://ai.google.dev/gemini-api/docs/audio, seen 2026-11-24). No model
 * reads more.
 */
const MAX_TOKENS_A_SECOND = 32
/** An upper bound on spoken tokens. Five words per second are fast speech. */
const MAX_SPOKEN_TOKENS_A_SECOND = 12
const LIKELY_SPOKEN_TOKENS_A_SECOND = 4
const MIN_OUTPUT_TOKENS = 256

/** Returns the length of a request's audio files, in seconds. */
function lengthOf({ form }: ScannedRequest) {
  const lengths = filesOf(form).map(({ head, tail, content }) =>
    findAudioSeconds({ head, tail, length: content.length }),
  )
  return {
    seconds: Math.ceil(lengths.reduce((sum, { seconds }) => sum + seconds, 0)),
    maxSeconds: Math.ceil(lengths.reduce((sum, { maxSeconds }) => sum + maxSeconds, 0)),
    isGuess: lengths.some(({ isGuess }) => isGuess),
  }
}

/** Holds the cost of all seconds of the files, at their maximum possible length. */
export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const { maxSeconds } = lengthOf(scanned)
  return {
    ...termsWithoutOutput,
    maxOutputTokens: MIN_OUTPUT_TOKENS + maxSeconds * MAX_SPOKEN_TOKENS_A_SECOND,
    hasMedia: () => true,
    mediaTokens: () => maxSeconds * MAX_TOKENS_A_SECOND,
    billedTools: () => [{ name: SECOND_UNIT, maxCalls: maxSeconds }],
  }
}

export function estimateUsage(scanned: ScannedRequest): MediaEstimate {
  const { seconds, isGuess } = lengthOf(scanned)
  const inputAudioTokens = seconds * LIKELY_TOKENS_A_SECOND
  const outputTokens = seconds * LIKELY_SPOKEN_TOKENS_A_SECOND
  return {
    tokens: {
      ...noUsage,
      freshInputTokens: inputAudioTokens,
      inputAudioTokens,
      outputTokens,
      isEstimated: true,
    },
    units: { [SECOND_UNIT]: seconds },
    unitsAreEstimated: isGuess,
  }
}
