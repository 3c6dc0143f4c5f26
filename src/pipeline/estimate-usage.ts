import { estimateInputTokens } from '../canonical/estimate-input-tokens.ts'
import { noUsage, type Usage } from '../canonical/usage.ts'
import type { Target } from '../catalog/catalog.ts'
import { chooseVocabulary } from '../providers/models/choose-vocabulary.ts'
import type { AttemptOutcome, ShownAmount } from './attempt/attempt-outcome.ts'
import type { Exchange } from './exchange/exchange.ts'

const CHARACTERS_A_TOKEN = 4
/** A longer request is not read for this alone. */
const MOST_READ_BYTES = 1024 * 1024

/** What an attempt costs. What broke off was paid for as far as it came, whether its end was counted or not. */
export function usageOfAttempt(
  exchange: Exchange,
  { upstreamModel }: Target,
  { type, usage, shown }: AttemptOutcome,
): Usage | undefined {
  if (type === 'answered' || shown === undefined) return usage
  return estimateUsage(exchange, upstreamModel, { counted: usage, shown })
}

/** What an answer used that broke off: as the upstream counted so far, and at least what was shown. */
function estimateUsage(
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
  const { length } = exchange.callerRequest.body
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
