import { noticeEnd, sendCall } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { monotonicMs } from '../../time/clock.ts'
import { type AssistantTurn, startedTurn } from './conversation.ts'
import { addChunk } from './read-answer.ts'
import { readEvents } from './read-events.ts'
import { readRefusal } from './read-refusal.ts'
import type { JsonBody } from './write-chat-body.ts'

export interface AnswerRequest {
  readonly body: JsonBody
  /** The only channel that may answer. Empty if routing decides. */
  readonly channel: string
  readonly signal: AbortSignal
  /** Called with the part of the response that has arrived. */
  readonly onProgress: (turn: AssistantTurn) => void
}

/** Sends a request and reads its response to the end. Never rejects: an error is part of the response. */
export async function streamAnswer(request: AnswerRequest): Promise<AssistantTurn> {
  const startedAtMs = monotonicMs()
  const elapsed = () => monotonicMs() - startedAtMs
  let turn = startedTurn
  try {
    const response = await ask(request)
    const channel = response.headers.get('x-headgate-channel')
    turn = { ...turn, figures: { ...turn.figures, channel } }
    let isWhole = false
    for await (const data of response.body === null ? [] : readEvents(response.body)) {
      if (data === '[DONE]') isWhole = true
      else turn = addChunk(turn, JSON.parse(data), elapsed())
      request.onProgress(turn)
    }
    if (turn.state !== 'failed') turn = { ...turn, state: isWhole ? 'whole' : 'failed' }
  } catch (error) {
    turn = request.signal.aborted
      ? { ...turn, state: 'stopped' }
      : { ...turn, state: 'failed', error: explainError(error) }
  }
  return { ...turn, figures: { ...turn.figures, totalMs: elapsed() } }
}

async function ask({ body, channel, signal }: AnswerRequest): Promise<Response> {
  const response = await sendCall({
    method: 'POST',
    path: '/playground/completions',
    signal,
    body: { request: body, ...(channel !== '' && { channel }) },
  })
  if (response.ok) return response
  // A proxy may answer with a page of its own. The status is then enough for the error.
  const refusal = readRefusal(response.status, await response.json().catch(() => undefined))
  noticeEnd(refusal)
  throw refusal
}
