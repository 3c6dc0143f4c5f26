import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AnswerPiece } from './answer-writer.ts'

/** The fields in which an operation puts the model's text. */
export interface AnswerShape {
  readonly hasCalls: boolean
  write(said: SaidFields): JsonObject
}

export interface SaidFields extends Omit<AnswerPiece, 'call'> {
  readonly calls?: readonly JsonObject[]
}

/** The answer of `/api/chat` has a message. */
export const chatShape: AnswerShape = {
  hasCalls: true,
  write: ({ text = '', thinking, calls, logprobs }) =>
    omitUndefined({
      message: omitUndefined({ role: 'assistant', content: text, thinking, tool_calls: calls }),
      logprobs,
    }),
}

/** The answer of `/api/generate` has a text. No caller can offer tools to it. */
export const generateShape: AnswerShape = {
  hasCalls: false,
  write: ({ text = '', thinking, logprobs }) => omitUndefined({ response: text, thinking, logprobs }),
}
