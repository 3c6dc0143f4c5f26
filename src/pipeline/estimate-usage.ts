import { estimateInputTokens } from '../canonical/estimate-input-tokens.ts'
import { noUsage, type Usage } from '../canonical/usage.ts'
import { chooseVocabulary } from '../providers/choose-vocabulary.ts'
import type { Exchange } from './exchange.ts'

/** What of an answer was shown, by which its tokens can be estimated. */
export interface ShownAmount {
  /** Events that showed something; each holds at least a token. */
  readonly pieces: number
  readonly characters: number
}

const CHARACTERS_A_TOKEN = 4
/** A longer request is not read for this alone. */
const MOST_READ_BYTES = 1024 * 1024

/** What an answer used that broke off: as the upstream counted so far, and at least what was shown. */
export function estimateUsage(
  exchange: Exchange,
  upstreamModel: string,
  { counted, shown }: { readonly counted: Usage | undefined; readonly shown: ShownAmount },
): Usage {
  const outputTokens = Math.max(shown.pieces, Math.ceil(shown.characters / CHARACTERS_A_TOKEN))
  if (counted !== undefined && counted.outputTokens >= outputTokens) return counted
  const known = counted ?? { ...noUsage, freshInputTokens: estimateInput(exchange, upstreamModel) }
  return { ...known, outputTokens, estimated: true }
}

function estimateInput(exchange: Exchange, upstreamModel: string): number {
  const { length } = exchange.received.body
  if (exchange.kind !== 'conversation' || length > MOST_READ_BYTES)
    return Math.ceil(length / CHARACTERS_A_TOKEN)
  const vocabulary = chooseVocabulary(upstreamModel)
  try {
    const counts = exchange.readRequests().map((request) => estimateInputTokens(request, vocabulary))
    return counts.reduce((sum, count) => sum + count, 0)
  } catch {
    // A provider may take what the format as it is known here does not.
    return Math.ceil(length / CHARACTERS_A_TOKEN)
  }
}
