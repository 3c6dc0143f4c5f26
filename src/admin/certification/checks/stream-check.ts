import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { readAnswer } from './judge-answer.ts'

const MIN_EVENTS = 3
/** Content that arrives within less than this share of the response's time was buffered and sent at once. */
const MIN_SPREAD_SHARE = 0.1
/** A response whose content is spread over this time is a stream, however long its start took. */
const AMPLE_SPREAD_MS = 250

/**
 * Whether a streamed response arrives as it is generated: in several pieces, over time, in order, with a proper end.
 */
export const streamCheck: Check = {
  name: 'stream',
  bounds: { calls: 1, inputTokens: 100, outputTokens: OUTPUT_TOKENS },
  *run() {
    const question = 'Count from 1 to 40 in digits, one number on each line, and say nothing else.'
    return judgeStream(yield ask([saying(question)], { stream: true }))
  },
}

/** The end and the order of the events need no check here, as a response without them is a failure. */
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
