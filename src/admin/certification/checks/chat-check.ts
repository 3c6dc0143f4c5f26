import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { includesWord, readAnswer, textOf } from './judge-answer.ts'

/** The smallest conversation: a word to repeat. */
export const chatCheck: Check = {
  name: 'chat',
  bounds: { calls: 1, inputTokens: 100, outputTokens: OUTPUT_TOKENS },
  *run({ word }) {
    return judgeChat(yield ask([saying(`Repeat this word and say nothing else: ${word}`)]), word)
  },
}

function judgeChat(call: ObservedCall, word: string): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  const text = textOf(answer.reply)
  if (text.trim() === '') return fails('no_text')
  return includesWord(text, word) ? works('word_repeated', { word }) : fails('word_missing', { word })
}
