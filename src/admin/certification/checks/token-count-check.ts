import { inputTokensOf } from '../../../canonical/usage.ts'
import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { judgeUnanswered, readAnswer } from './judge-answer.ts'

const MAX_SHARE = 0.05
/** Services may add a few tokens of their own to only one of the two counts. */
const SLACK_TOKENS = 8

const question = saying(
  'The quick brown fox jumps over the lazy dog, 42 times in a row, and then rests beneath an old oak tree. Say the word yes.',
)

/** Whether the token count of a prompt equals the input that is billed. */
export const tokenCountCheck: Check = {
  name: 'token_counts',
  bounds: { calls: 2, inputTokens: 100, outputTokens: OUTPUT_TOKENS },
  *run() {
    const call = ask([question])
    const counted = yield { type: 'token-count', request: call.request }
    if (counted.outcome.type !== 'count') return judgeUnanswered(counted.outcome)
    return judgeCount(counted.outcome.inputTokens, yield call)
  },
}

function judgeCount(counted: number, billing: ObservedCall): CheckVerdict {
  const answer = readAnswer(billing)
  if (answer.type === 'judged') return answer.verdict
  const { usage } = billing
  if (usage === undefined || usage.isEstimated) return fails('no_usage')
  const billed = inputTokensOf(usage)
  const isNear = Math.abs(counted - billed) <= Math.max(SLACK_TOKENS, billed * MAX_SHARE)
  const details = { counted, billed }
  return isNear ? works('count_fits', details) : fails('count_differs', details)
}
