import { inputTokensOf } from '../../../canonical/usage.ts'
import type { ObservedCall } from '../call-channel.ts'
import { ask, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { readAnswer } from './judge-answer.ts'

const ANSWER_TOKENS = 512
/** Enough for every provider: the longest minimum prompt is 4,096 tokens, and a line here has about 18. */
const LINES = 300
const MAX_CALLS = 3

/** Whether a prompt that is sent again is read from the provider's cache. */
export const promptCacheCheck: Check = {
  name: 'prompt_cache',
  bounds: { calls: MAX_CALLS, inputTokens: 9_000, outputTokens: ANSWER_TOKENS },
  *run({ word }) {
    const text = writeLongPrompt(word)
    const cache = { lifetime: '5m' } as const
    const system = { role: 'system', authority: 'system', content: [{ type: 'text', text, cache }] } as const
    const request = ask([system, saying('Say the word yes.')], { maxOutputTokens: ANSWER_TOKENS })
    const calls: ObservedCall[] = []
    while (calls.length < MAX_CALLS) {
      const call = yield request
      calls.push(call)
      const answer = readAnswer(call)
      if (answer.type === 'judged') return answer.verdict
      if (calls.length > 1 && (call.usage?.cacheReadTokens ?? 0) > 0) break
    }
    return judgeCache(calls)
  },
}

/** The first line differs from any prompt before, so that the first call reads nothing. */
function writeLongPrompt(word: string): string {
  const lines = Array.from(
    { length: LINES },
    (_, index) => `Entry ${index + 1} of the list ${word}: the lamp at gate ${index * 7} is green and calm.`,
  )
  return lines.join('\n')
}

function judgeCache(calls: readonly ObservedCall[]): CheckVerdict {
  const usages = calls.flatMap(({ usage }) => usage ?? [])
  const [, ...repeated] = usages
  const read = repeated.find(({ cacheReadTokens }) => cacheReadTokens > 0)
  if (read !== undefined)
    return works('cache_read', { read_tokens: read.cacheReadTokens, input_tokens: inputTokensOf(read) })
  if (usages.length < calls.length || usages.some(({ isEstimated }) => isEstimated)) return fails('no_usage')
  return fails('cache_not_read', { calls: calls.length })
}
