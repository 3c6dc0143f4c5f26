import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { readAnswer } from './judge-answer.ts'

const MIN_EVENTS = 3
/** Content that comes within less than this share of the answer's time was held back and sent at once. */
const MIN_SPREAD_SHARE = 0.1
/** A stream that goes on for this long is one, however long its beginning took. */
const AMPLE_SPREAD_MS = 250

/** Whether a streamed answer comes as it is made: several pieces, over time, in order, to its proper end. */
export const streamCheck: Check = {
  name: 'stream',
  bounds: { calls: 1, inputTokens: 100, outputTokens: OUTPUT_TOKENS },
  *run() {
    const question = 'Count from 1 to 40 in digits, one number on each line, and say nothing else.'
    return judgeStream(yield ask([saying(question)], { stream: true }))
  },
}

/** That the end came and the events were in order is in the outcome: an answer is a failure without them. */
export function judgeStream(call: ObservedCall): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  const times = answer.stream?.contentAtMs ?? []
  const spreadMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const details = {
    events: times.length,
    spread_ms: Math.round(spreadMs),
    total_ms: Math.round(call.totalMs),
  }
  if (times.length < MIN_EVENTS) return fails('few_events', details)
  const isSpread = spreadMs >= AMPLE_SPREAD_MS || spreadMs >= call.totalMs * MIN_SPREAD_SHARE
  return isSpread ? works('streamed', details) : fails('buffered', details)
}
