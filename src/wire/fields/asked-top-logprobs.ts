import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'

/**
 * The number of likely tokens to ask for. Undefined where the request asks for no log probabilities: the responses
 * format then returns none, and services of the chat format ("top_logprobs" without "logprobs") and of Gemini
 * ("logprobs" without "responseLogprobs") refuse the number alone.
 */
export function askedTopLogprobs(
  { logprobs, topLogprobs }: Pick<ChatRequest, 'logprobs' | 'topLogprobs'>,
  losses: LossList,
): number | undefined {
  if (topLogprobs === undefined || logprobs === true) return topLogprobs
  losses.lose('logprobs', 'dropped')
  return undefined
}
