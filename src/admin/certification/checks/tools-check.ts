import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { giveResults, readArguments, temperatureTool } from './check-tools.ts'
import {
  type Answered,
  callsOf,
  includesWord,
  type Judged,
  judged,
  readAnswer,
  textOf,
  turnOf,
} from './judge-answer.ts'

const question = saying(
  'Use the tool get_temperature for the city "Paris". Then name the station that its result names.',
)

/** A call with arguments that fit, and an answer from its result. */
export const toolsCheck: Check = {
  name: 'tools',
  bounds: { calls: 2, inputTokens: 1_000, outputTokens: OUTPUT_TOKENS },
  *run({ word }) {
    const tools = [temperatureTool]
    const called = judgeToolCall(yield ask([question], { tools, needs: ['foreign-field'] }))
    if (called.type === 'judged') return called.verdict
    const { reply } = called
    const turns = [question, turnOf(reply), giveResults(callsOf(reply), word)]
    return judgeToolAnswer(yield ask(turns, { tools }), word)
  },
}

/** The answer with a good call, or what is wrong with it. */
function judgeToolCall(call: ObservedCall): Answered | Judged {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer
  const [first] = callsOf(answer.reply)
  if (first === undefined) return judged(fails('no_call'))
  if (first.name !== temperatureTool.name) return judged(fails('other_tool', { name: first.name }))
  if (readArguments(first) === undefined) return judged(fails('bad_arguments', { arguments: first.input }))
  return answer
}

function judgeToolAnswer(call: ObservedCall, word: string): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  return includesWord(textOf(answer.reply), word) ? works('result_used') : fails('result_ignored', { word })
}
