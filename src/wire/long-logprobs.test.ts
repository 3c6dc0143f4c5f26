import { describe, expect, it } from 'vitest'
import type { Reply } from '../canonical/reply.ts'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { ollamaChatFormat } from './ollama/format.ts'
import { responsesFormat } from './responses/format.ts'

const tokens = Array.from({ length: 2_500 }, (_, index) => `t${index} `)

const reply: Reply = {
  id: 'r',
  model: 'm',
  choices: [
    {
      content: [{ type: 'text', text: tokens.join('') }],
      stopReason: 'end',
      logprobs: {
        content: tokens.map((token) => ({ token, logprob: -0.5, bytes: null, top_logprobs: [] })),
      },
    },
  ],
}

describe('the log probabilities of a long answer', () => {
  it.each([chatFormat, completionsFormat, geminiFormat, ollamaChatFormat, responsesFormat])(
    'are all in a whole answer of $id, in order',
    ({ writeReply }) => {
      const text = JSON.stringify(writeReply(reply).value)
      const starts = tokens.map((token) => text.lastIndexOf(`"${token}"`))
      expect(starts.filter((start) => start === -1)).toHaveLength(0)
      expect(starts).toEqual(starts.toSorted((one, other) => one - other))
    },
  )
})
