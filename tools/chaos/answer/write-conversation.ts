import type { Reply } from '../../../src/canonical/reply.ts'
import type { ReplyEvent } from '../../../src/canonical/reply-event.ts'
import { noUsage } from '../../../src/canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/kit/json/json.ts'
import { chatFormat } from '../../../src/wire/chat/format.ts'
import { completionsFormat } from '../../../src/wire/completions/format.ts'
import { messagesFormat } from '../../../src/wire/messages/format.ts'
import type { FaultCall } from '../script/fault-call.ts'
import type { AnswerScript } from '../script/script-schema.ts'
import type { AnswerPart } from './fault-answer.ts'
import { type PlannedToolCall, planToolCall } from './plan-tool-call.ts'
import { sortEvent } from './sort-event.ts'

export type ConversationFormatName = 'chat' | 'messages' | 'completions'

export interface ConversationPlan {
  readonly call: FaultCall
  readonly format: ConversationFormatName
  readonly script: AnswerScript
  readonly id: string
  readonly createdAtSeconds: number
  /** Whether the words lie outside ASCII. */
  readonly isWide: boolean
}

const formats = { chat: chatFormat, messages: messagesFormat, completions: completionsFormat } as const
const WIDE = 'é漢🙂'

/** A complete answer of a model: the events of a stream, or a whole body split at its words. */
export function writeConversation(plan: ConversationPlan): readonly AnswerPart[] {
  return plan.call.isStream ? writeStream(plan) : writeWhole(plan)
}

interface Said {
  readonly words: readonly string[]
  readonly tool: PlannedToolCall | undefined
}

function planWords({ call, format, script, isWide }: ConversationPlan): Said {
  const tool = format === 'completions' ? undefined : planToolCall(call, script.tools)
  const count = tool === undefined ? script.words : 0
  const ending = isWide ? WIDE : ''
  const words = Array.from({ length: count }, (_, index) => {
    return `${index === 0 ? '' : ' '}${script.voice}-${index + 1}${ending}`
  })
  return { words, tool }
}

function usageOf({ call }: ConversationPlan, { words, tool }: Said) {
  const asked = JSON.stringify(call.body['messages'] ?? call.body['prompt'] ?? '')
  const outputTokens = words.length + (tool === undefined ? 0 : 1)
  return { ...noUsage, freshInputTokens: Math.max(1, Math.ceil(asked.length / 4)), outputTokens }
}

function writeWhole(plan: ConversationPlan): readonly AnswerPart[] {
  const said = planWords(plan)
  const { tool, words } = said
  const reply: Reply = {
    id: plan.id,
    model: plan.call.model ?? '',
    createdAtSeconds: plan.createdAtSeconds,
    choices: [
      {
        content:
          tool === undefined
            ? [{ type: 'text', text: words.join('') }]
            : [{ type: 'tool-call', id: `call_${plan.id}`, kind: 'function', ...tool }],
        stopReason: tool === undefined ? 'end' : 'tool-calls',
      },
    ],
    usage: usageOf(plan, said),
  }
  const text = JSON.stringify(formats[plan.format].writeReply(reply).value)
  return cutAtWords(text, plan.script.voice).map((piece) => ({
    bytes: Buffer.from(piece),
    kind: 'content',
    words: countWords(piece, plan.script.voice),
  }))
}

function writeStream(plan: ConversationPlan): readonly AnswerPart[] {
  const said = planWords(plan)
  const options = plan.call.body['stream_options']
  const streamUsage = isJsonObject(options) && options['include_usage'] === true
  const writer = formats[plan.format].createStreamWriter({ streamUsage, requestId: plan.id })
  const inputTokens = usageOf(plan, said).freshInputTokens
  const text = eventsOf(plan, said)
    .map((event) => writer.push(event))
    .join('')
  return splitEvents(text).map((event) => {
    const whole = withStartUsage(event, inputTokens)
    return { bytes: Buffer.from(whole), kind: sortEvent(whole), words: countWords(whole, plan.script.voice) }
  })
}

function eventsOf(plan: ConversationPlan, said: Said): readonly ReplyEvent[] {
  const { id, createdAtSeconds, call } = plan
  const position = { choice: 0, block: 0 }
  const { tool, words } = said
  return [
    { type: 'reply-start', id, model: call.model ?? '', createdAtSeconds },
    ...(tool === undefined ? textEvents(words) : toolEvents(id, tool)),
    { type: 'block-end', ...position },
    { type: 'choice-end', choice: 0, stopReason: tool === undefined ? 'end' : 'tool-calls' },
    { type: 'usage', usage: usageOf(plan, said) },
    { type: 'reply-end' },
  ]
}

function textEvents(words: readonly string[]): readonly ReplyEvent[] {
  const deltas = words.map((text): ReplyEvent => ({ type: 'text-delta', choice: 0, block: 0, text }))
  return [{ type: 'block-start', choice: 0, block: 0, start: { type: 'text' } }, ...deltas]
}

function toolEvents(id: string, { name, input }: PlannedToolCall): readonly ReplyEvent[] {
  const position = { choice: 0, block: 0 }
  const pieces = input.match(/.{1,8}/gsu) ?? []
  return [
    {
      type: 'block-start',
      ...position,
      start: { type: 'tool-call', id: `call_${id}`, kind: 'function', name },
    },
    ...pieces.map((text): ReplyEvent => ({ type: 'tool-input-delta', ...position, text })),
  ]
}

export function splitEvents(text: string): readonly string[] {
  return text.match(/[\s\S]*?\n\n/g) ?? []
}

/** Providers of the messages format report the input tokens at the start; our writer knows them only at the end. */
function withStartUsage(event: string, inputTokens: number): string {
  if (!event.startsWith('event: message_start\n')) return event
  const frame: JsonValue = JSON.parse(event.slice(event.indexOf('data: ') + 6))
  const message: JsonObject = isJsonObject(frame) && isJsonObject(frame['message']) ? frame['message'] : {}
  const usage = isJsonObject(message['usage']) ? message['usage'] : {}
  const changed = { ...message, usage: { ...usage, input_tokens: inputTokens, output_tokens: 1 } }
  return `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: changed })}\n\n`
}

/** Counts the numbered words of this voice in the text. */
function countWords(text: string, voice: string): number {
  return text.match(pattern(voice))?.length ?? 0
}

/** The text in pieces that each end with one word; the rest after the last word is a piece of its own. */
function cutAtWords(text: string, voice: string): readonly string[] {
  const ends = [...text.matchAll(pattern(voice))].map((match) => match.index + match[0].length)
  const cuts = [0, ...ends, text.length]
  return cuts.slice(1).flatMap((end, index) => {
    const piece = text.slice(cuts[index], end)
    return piece === '' ? [] : [piece]
  })
}

function pattern(voice: string): RegExp {
  return new RegExp(`\\b${voice}-\\d+[^\\s"\\\\]*`, 'gu')
}
