import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { readAnswer } from './judge-answer.ts'

const CALLS = 3

/** The time to the first content of a stream: the median of a few, one after the other. */
export const firstTokenCheck: Check = {
  name: 'first_token',
  bounds: { calls: CALLS, inputTokens: 100, outputTokens: OUTPUT_TOKENS },
  *run() {
    const times: number[] = []
    while (times.length < CALLS) {
      const timed = readFirstTime(yield ask([saying('Say hello.')], { stream: true }))
      if (typeof timed !== 'number') return timed
      times.push(timed)
    }
    return judgeTimes(times)
  },
}

function readFirstTime(call: ObservedCall): number | CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  return answer.stream?.contentAtMs[0] ?? fails('no_text')
}

function judgeTimes(times: readonly number[]): CheckVerdict {
  const sorted = times.toSorted((left, right) => left - right)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  return works('first_token', { median_ms: Math.round(median), calls: times.length })
}
