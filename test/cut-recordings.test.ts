import { describe, expect, it } from 'vitest'
import { createSseParser } from '../src/kit/sse/sse-parser.ts'
import { createTranslatedRelay } from '../src/pipeline/relay/translated-relay.ts'
import { chatFormat } from '../src/wire/chat/format.ts'
import { cohereFormat } from '../src/wire/cohere/format.ts'
import { bedrockConverseFormat } from '../src/wire/converse/caller-format.ts'
import { createEventStreamFrames } from '../src/wire/converse/event-stream-frames.ts'
import { converseFormat } from '../src/wire/converse/format.ts'
import { geminiFormat } from '../src/wire/gemini/format.ts'
import { messagesFormat } from '../src/wire/messages/format.ts'
import { ollamaChatFormat } from '../src/wire/ollama/format.ts'
import { responsesFormat } from '../src/wire/responses/format.ts'
import type { ChannelFormat, ConversationFormat } from '../src/wire/wire-format.ts'
import { type CorpusCase, loadCases } from './support/corpus.ts'

/** The channels' formats, with the first words by which a stream says why it ends. */
const channels: readonly (readonly [api: string, format: ChannelFormat, end: RegExp])[] = [
  ['openai.chat', chatFormat, /"finish_reason":\s*"[^"]|\[DONE\]|"error":/],
  ['openai.responses', responsesFormat, /response\.(completed|incomplete|failed)|"type":\s*"error"/],
  ['anthropic.messages', messagesFormat, /"stop_reason":\s*"|message_stop|"type":\s*"error"/],
  ['gemini.generateContent', geminiFormat, /"finish_?[rR]eason":\s*"|"blockReason"|"error":/],
  ['bedrock.converse', converseFormat, /messageStop|exception/],
  ['cohere.chat', cohereFormat, /message-end/],
]

/** The formats of callers, with the words by which their clients know a whole answer. */
const callers: readonly (readonly [format: ConversationFormat, whole: RegExp])[] = [
  [chatFormat, /"finish_reason":"|\[DONE\]/],
  [responsesFormat, /response\.(completed|incomplete)/],
  [messagesFormat, /"stop_reason":"|message_stop/],
  [geminiFormat, /"finishReason":"/],
  [bedrockConverseFormat, /messageStop/],
  [ollamaChatFormat, /"done":true/],
]

function bytesOf({ response }: CorpusCase): Buffer | undefined {
  const { sse, eventstream_base64: frames } = response
  if (sse !== undefined) return Buffer.from(sse)
  return frames === undefined ? undefined : Buffer.from(frames, 'base64')
}

/** Offsets before the end of an answer: its last event as a whole and by half, and some within earlier events. */
function cutsOf(bytes: Buffer, end: RegExp, isFramed: boolean): readonly number[] {
  const text = bytes.toString('latin1')
  const said = end.exec(text)?.index ?? text.length
  // A binary frame begins with its length, so its beginning is not known from its words.
  const last = isFramed ? said : text.slice(0, said).lastIndexOf('\n\n') + 2
  const offsets = [
    last,
    Math.floor((last + said) / 2),
    ...[1, 2, 3].map((part) => Math.floor((said * part) / 4)),
  ]
  return offsets.filter((offset) => offset > 1 && offset < bytes.length)
}

function relay(bytes: Buffer, channel: ChannelFormat, { caller, isFramed }: Way) {
  const stream = createTranslatedRelay({
    reader: channel.createStreamReader(),
    writer: caller.createStreamWriter({ streamUsage: true, requestId: 'r' }),
    parser: isFramed ? createEventStreamFrames(1_000_000) : createSseParser(),
    createdAtSeconds: 1,
    costOf: undefined,
  })
  const text = [...stream.push(bytes), ...stream.end()].join('')
  return { text, failure: stream.failure?.code }
}

interface Way {
  readonly caller: ConversationFormat
  readonly isFramed: boolean
}

const loaded = loadCases({})

describe.skipIf(loaded === undefined)('a recorded stream that is cut before it says why it ends', () => {
  it.each(channels)('never looks whole for any caller (%s)', (api, channel, end) => {
    const wrong: string[] = []
    let cut = 0
    for (const recorded of loaded ?? []) {
      const bytes = recorded.api === api && recorded.response.status === 200 ? bytesOf(recorded) : undefined
      if (bytes === undefined) continue
      const isFramed = recorded.response.eventstream_base64 !== undefined
      for (const offset of cutsOf(bytes, end, isFramed))
        for (const [caller, whole] of callers) {
          cut += 1
          const { text, failure } = relay(bytes.subarray(0, offset), channel, { caller, isFramed })
          if (failure === undefined || whole.test(text))
            wrong.push(`${recorded.id} at ${offset}: ${caller.id}`)
        }
    }
    expect(wrong).toEqual([])
    expect(cut).toBeGreaterThan(100)
  })
})
