import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, fails, works } from './check.ts'
import { giveResults, readArguments, stationTool, temperatureTool } from './check-tools.ts'
import { type Answered, callsOf, type Judged, judged, readAnswer, turnOf } from './judge-answer.ts'

const question = saying(
  'Call the tools get_temperature and get_station, both in this one step and both for the city "Paris". Then say in one sentence what they answered.',
)

/** Two calls in one answer, and results of both accepted. */
export const parallelToolsCheck: Check = {
  name: 'parallel_tools',
  bounds: { calls: 2, inputTokens: 1_200, outputTokens: OUTPUT_TOKENS },
  *run({ word }) {
    const tools = [temperatureTool, stationTool]
    const called = judgeParallelCalls(yield ask([question], { tools, needs: ['foreign-field'] }))
    if (called.type === 'judged') return called.verdict
    const { reply } = called
    const calls = callsOf(reply)
    const results = readAnswer(yield ask([question, turnOf(reply), giveResults(calls, word)], { tools }))
    return results.type === 'judged' ? results.verdict : works('calls_together', { calls: calls.length })
  },
}

/** The answer with two good calls, or what is wrong with it. */
function judgeParallelCalls(call: ObservedCall): Answered | Judged {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer
  const calls = callsOf(answer.reply)
  if (calls.length === 0) return judged(fails('no_call'))
  if (calls.length === 1) return judged(fails('one_call'))
  const bad = calls.find((each) => readArguments(each) === undefined)
  return bad === undefined ? answer : judged(fails('bad_arguments', { arguments: bad.input }))
}
