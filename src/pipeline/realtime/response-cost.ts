import type { NanoDollars } from '../../canonical/money.ts'
import { inputTokensOf, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { costOfCount } from '../../catalog/prices/sum-cost.ts'
import { worstRates } from '../../catalog/prices/worst-rates.ts'
import { brand } from '../../kit/brand.ts'
import type { WorstCase } from '../../metering/meter.ts'
import type { AddedInput } from '../../wire/realtime/read-event.ts'

/** The limits that are assumed for a model without known limits, as elsewhere. */
const MAX_INPUT_TOKENS = 1_000_000
const MAX_OUTPUT_TOKENS = 4_096
/** The minimum of useful output tokens: some ten seconds. A shorter spoken answer is of little use. */
const MIN_USEFUL_OUTPUT_TOKENS = 512
/** The input that a provider adds by itself, such as instructions if a caller gives none. */
const OWN_TOKENS = 1_024
/** The tokens of sound that may arrive before the next response starts: one minute. */
const SPOKEN_AHEAD_TOKENS = 600
const CHARACTERS_A_TOKEN = 3
/**
 * The characters of base64 in a token of sound. A token is a tenth of a second
 * (https://platform.openai.com/docs/guides/realtime-costs, seen 2026-11-25). In the smallest format, with 8,000 bytes a
 * second, that is 800 bytes.
 */
const AUDIO_CHARACTERS_A_TOKEN = Math.floor((800 * 4) / 3)

/** Bounds the input of the next response by everything that has been added to the conversation. */
export class InputBound {
  readonly #target: Target
  #tokens = OWN_TOKENS
  /** Whether there is input whose tokens cannot be bounded. */
  #isOpen = false

  constructor(target: Target) {
    this.#target = target
  }

  add({ textCharacters, audioCharacters, images }: AddedInput): void {
    this.#tokens +=
      Math.ceil(textCharacters / CHARACTERS_A_TOKEN) + Math.ceil(audioCharacters / AUDIO_CHARACTERS_A_TOKEN)
    if (images > 0) this.#isOpen = true
  }

  /** Adds a response. The next response reads its input and its output as the conversation. */
  addResponse(usage: Usage): void {
    this.#tokens = Math.max(this.#tokens, inputTokensOf(usage) + OWN_TOKENS) + usage.outputTokens
  }

  /**
   * The bound of the input. With `mustBound`, the provider's cost must never exceed a limit. With `isAhead`, sound may
   * still arrive before the response starts.
   */
  tokens({ mustBound, isAhead }: { readonly mustBound: boolean; readonly isAhead: boolean }): number {
    const { capabilities, limits } = this.#target
    const window = capabilities.contextWindowTokens ?? limits?.maxInputTokens ?? MAX_INPUT_TOKENS
    if (mustBound || this.#isOpen) return window
    return Math.min(window, this.#tokens + (isAhead ? SPOKEN_AHEAD_TOKENS : 0))
  }
}

/** The maximum output of a response that the model can give. */
export function maxOutputOf({ capabilities, limits }: Target): number {
  return capabilities.maxOutputTokens ?? limits?.maxOutputTokens ?? MAX_OUTPUT_TOKENS
}

/** Estimates the output of events with content: one token each, or the sound that their length may hold. */
export function estimateOutput(events: number, characters: number): number {
  return Math.max(events, Math.ceil(characters / AUDIO_CHARACTERS_A_TOKEN))
}

export interface ResponseBound {
  readonly inputTokens: number
  readonly maxOutputTokens: number
  readonly multiplierPpm: number
}

/** The maximum cost of a response, whatever class its tokens belong to. */
export function worstOfResponse(
  { inputTokens, maxOutputTokens, multiplierPpm }: ResponseBound,
  price: PriceVersion,
): WorstCase {
  const rates = worstRates(price, { tiers: ['standard'], inputTokens })
  return {
    fixed: brand<NanoDollars>(costOfCount(inputTokens, rates.input)),
    outputRate: rates.output,
    maxOutputTokens,
    minOutput: Math.min(MIN_USEFUL_OUTPUT_TOKENS, maxOutputTokens),
    canClamp: true,
    multiplierPpm,
  }
}
