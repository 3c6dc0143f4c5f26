import { unfoldReply } from '../../../src/canonical/unfold-reply.ts'
import { systemClock } from '../../../src/kit/time/clock.ts'
import { chatFormat } from '../../../src/wire/chat/format.ts'
import { geminiFormat } from '../../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../../src/wire/messages/format.ts'
import { responsesFormat } from '../../../src/wire/responses/format.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
  sseAnswer,
} from '../scripted-upstream.ts'
import {
  answerAsModel,
  countInput,
  isReasoning,
  type ModelFault,
  type ModelMemory,
  returnsReasoning,
} from './answer-as-model.ts'

const formats = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}

export type CheckedFormat = keyof typeof formats

/** Faults of an upstream, beside those of its model. */
export type UpstreamFault =
  | ModelFault
  | 'holds-the-stream-back'
  | 'streams-one-piece'
  | 'cuts-the-stream'
  | 'refuses-images'
  | 'refuses-reasoning'
  | 'reports-no-usage'
  | 'miscounts'
  | 'gives-one-vector'
  | 'gives-equal-vectors'
  | 'gives-empty-vectors'
  | 'has-no-vectors'
  | 'is-overloaded'
  | 'fails'

/** The time between two pieces of a stream, and before one that is held back. */
const PIECE_MS = 8
const HELD_MS = 400

/** An upstream in one format with a model that passes every check, but for its faults. */
export function openCheckedUpstream(
  format: CheckedFormat,
  faults: readonly UpstreamFault[] = [],
): Promise<ScriptedUpstream> {
  const has = new Set<UpstreamFault>(faults)
  const memory: ModelMemory = { prompts: new Set(), format }
  return openScriptedUpstream((request) => answer(request, { format, has, memory }))
}

interface Upstream {
  readonly format: CheckedFormat
  readonly has: ReadonlySet<UpstreamFault>
  readonly memory: ModelMemory
}

function answer(request: RecordedRequest, upstream: Upstream): ScriptedAnswer {
  const { format, has } = upstream
  const body = JSON.parse(request.body.toString('utf8') || '{}')
  if (has.has('is-overloaded')) return refuse(529, 'The model is overloaded.')
  if (has.has('fails')) return refuse(500, 'Something broke.')
  if (/embed/i.test(request.path)) return format === 'gemini' ? embedAsGemini(body) : embed(body, has)
  const isCount = /count_?tokens/i.test(request.path)
  const terms =
    format === 'gemini' ? { model: 'model-1', stream: request.path.includes(':stream') } : { max_tokens: 1 }
  const asked = formats[format].readRequest(format === 'gemini' || isCount ? { ...terms, ...body } : body)
  if (isCount) {
    const counted = countInput(asked) + (has.has('miscounts') ? 500 : 0)
    return jsonAnswer(format === 'gemini' ? { totalTokens: counted } : { input_tokens: counted })
  }
  const hasImage = JSON.stringify(body).includes('image/png')
  if (hasImage && has.has('refuses-images')) return refuse(400, 'This model takes no images.')
  const isSecond = asked.turns.some(({ role }) => role === 'assistant')
  if (isReasoning(asked) && isSecond) {
    if (has.has('refuses-reasoning')) return refuse(400, 'Invalid signature in thinking block.')
    if (!has.has('signs-nothing') && !returnsReasoning(asked))
      return refuse(400, 'The thinking block is missing.')
  }
  return write(asked, upstream)
}

function write(
  request: Parameters<typeof answerAsModel>[0],
  { format, has, memory }: Upstream,
): ScriptedAnswer {
  const wire = formats[format]
  const { usage, ...unmeasured } = answerAsModel(request, has as ReadonlySet<ModelFault>, memory)
  const reply = has.has('reports-no-usage') || usage === undefined ? unmeasured : { ...unmeasured, usage }
  if (!request.stream) return jsonAnswer(wire.writeReply(reply).value)
  const writer = wire.createStreamWriter({ streamUsage: true, requestId: 'r' })
  const events = unfoldReply(reply).flatMap((event) =>
    event.type === 'text-delta' && !has.has('streams-one-piece')
      ? (event.text.match(/\s*\S+/g) ?? []).map((text) => ({ ...event, text }))
      : [event],
  )
  const frames = events.map((event) => writer.push(event)).filter((frame) => frame !== '')
  if (has.has('cuts-the-stream')) return sseAnswer(frames.slice(0, -3), 'half-close')
  if (has.has('holds-the-stream-back')) return sseAnswer([after(HELD_MS), frames.join('')])
  return sseAnswer(frames.flatMap((frame, index) => [after(index * PIECE_MS), frame]))
}

function after(delayMs: number): Promise<void> {
  return new Promise((done) => systemClock.startTimer(delayMs, done))
}

function embed(body: { readonly input: readonly string[] }, has: ReadonlySet<UpstreamFault>): ScriptedAnswer {
  if (has.has('has-no-vectors')) return refuse(404, 'The model does not exist for this endpoint.')
  const vectorOf = (text: string) => {
    if (has.has('gives-empty-vectors')) return []
    return has.has('gives-equal-vectors') ? [1, 0, 0] : [text.length / 100, 0.5, -0.25]
  }
  const inputs = has.has('gives-one-vector') ? body.input.slice(0, 1) : body.input
  const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  return jsonAnswer({ object: 'list', model: 'model-1', data, usage: { prompt_tokens: 9, total_tokens: 9 } })
}

function embedAsGemini({ requests }: { readonly requests: readonly unknown[] }): ScriptedAnswer {
  return jsonAnswer({ embeddings: requests.map((_request, index) => ({ values: [index, 0.5, -0.25] })) })
}

function refuse(status: number, message: string): ScriptedAnswer {
  return jsonAnswer({ error: { message, type: 'invalid_request_error', status: 'INVALID_ARGUMENT' } }, status)
}
