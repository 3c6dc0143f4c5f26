import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AnswerPiece } from './answer-writer.ts'

/** The fields in which an operation has what the model says. */
export interface AnswerShape {
  readonly hasCalls: boolean
  write(said: SaidFields): JsonObject
}

export interface SaidFields extends Omit<AnswerPiece, 'call'> {
  readonly calls?: readonly JsonObject[]
}

/** `/api/chat` has a message. */
export const chatShape: AnswerShape = {
  hasCalls: true,
  write: ({ text = '', thinking, calls, logprobs }) =>
    omitUndefined({
      message: omitUndefined({ role: 'assistant', content: text, thinking, tool_calls: calls }),
      logprobs,
    }),
}

/** `/api/generate` has a text. No caller can ask it for calls. */
export const generateShape: AnswerShape = {
  hasCalls: false,
  write: ({ text = '', thinking, logprobs }) => omitUndefined({ response: text, thinking, logprobs }),
}
