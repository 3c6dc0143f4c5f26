import type { FormatId } from '../../src/canonical/format.ts'
import { jsonAnswer, type ScriptedAnswer } from './scripted-upstream.ts'

export interface ErrorText {
  readonly message?: string
  readonly type?: string
  /** The code, which the chat format alone has. */
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An upstream's error answer in the words of its format. */
export function upstreamError(format: FormatId, status: number, text: ErrorText = {}): ScriptedAnswer {
  const { message = 'Upstream words.', type = 'some_error', code = null, headers } = text
  const body =
    format !== 'messages'
      ? { error: { message, type, param: null, code } }
      : { type: 'error', error: { type, message }, request_id: 'req_upstream' }
  const answer = jsonAnswer(body, status)
  return { ...answer, headers: { ...answer.headers, ...headers } }
}
