import { isFailure } from '../../../src/canonical/failure.ts'
import type { ReplyEvent } from '../../../src/canonical/reply-event.ts'
import type { ServedTier } from '../../../src/canonical/served-tier.ts'
import type { Usage } from '../../../src/canonical/usage.ts'
import type { SseFrame } from '../../../src/kit/sse/sse-parser.ts'
import { createSseParser } from '../../../src/kit/sse/sse-parser.ts'
import { chatFormat } from '../../../src/wire/chat/format.ts'
import { cohereFormat } from '../../../src/wire/cohere/format.ts'
import { completionsFormat } from '../../../src/wire/completions/format.ts'
import { createEventStreamFrames } from '../../../src/wire/converse/event-stream-frames.ts'
import { converseFormat } from '../../../src/wire/converse/format.ts'
import { embeddingsFormat } from '../../../src/wire/embeddings/format.ts'
import { geminiFormat } from '../../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../../src/wire/messages/format.ts'
import { responsesFormat } from '../../../src/wire/responses/format.ts'
import type { ChannelFormat, ConversationFormat, Operation } from '../../../src/wire/wire-format.ts'
import type { CorpusCase } from '../../support/corpus.ts'

export interface ReadUsage {
  readonly usage: Usage | undefined
  readonly tier: ServedTier | undefined
}

interface Readers {
  /** Callers and channels speak the format: its bytes pass, and are watched. */
  readonly verbatim?: Operation & Partial<Pick<ConversationFormat, 'createStreamWatcher'>>
  readonly translated?: ChannelFormat
}

const readers: Readonly<Record<string, Readers>> = {
  'openai.chat': { verbatim: chatFormat, translated: chatFormat },
  'openai.responses': { verbatim: responsesFormat, translated: responsesFormat },
  'anthropic.messages': { verbatim: messagesFormat, translated: messagesFormat },
  'bedrock.invoke': { verbatim: messagesFormat, translated: messagesFormat },
  'gemini.generateContent': { verbatim: geminiFormat, translated: geminiFormat },
  'bedrock.converse': { translated: converseFormat },
  'cohere.chat': { translated: cohereFormat },
  'openai.completions': { verbatim: completionsFormat },
  'openai.embeddings': { verbatim: embeddingsFormat },
}

/** The usage that each lane of the gateway reads from a recorded answer. */
export function readWithHeadgate(
  recorded: CorpusCase,
): readonly (readonly [lane: string, read: ReadUsage])[] {
  const { verbatim, translated } = readers[recorded.api] ?? {}
  const frames = framesOf(recorded)
  const body = recorded.response.body ?? null
  const found: (readonly [string, ReadUsage])[] = []
  if (verbatim !== undefined && frames === undefined) {
    const { usage, servedTier: tier } = verbatim.watchReply(body)
    found.push(['verbatim', { usage, tier }])
  }
  if (verbatim?.createStreamWatcher !== undefined && frames !== undefined) {
    const watcher = verbatim.createStreamWatcher()
    for (const frame of frames) watcher.inspect(frame)
    found.push(['verbatim', { usage: watcher.usage, tier: watcher.servedTier }])
  }
  if (translated !== undefined && frames === undefined) {
    const reply = translated.readReply(body)
    found.push(['translated', isFailure(reply) ? none : { usage: reply.usage, tier: reply.serviceTier }])
  }
  if (translated !== undefined && frames !== undefined) {
    const reader = translated.createStreamReader()
    found.push(['translated', lastOf([...frames.flatMap((frame) => reader.push(frame)), ...reader.end()])])
  }
  return found
}

const none: ReadUsage = { usage: undefined, tier: undefined }

function lastOf(events: readonly ReplyEvent[]): ReadUsage {
  return events.reduce<ReadUsage>((read, event) => {
    const tier = ('serviceTier' in event ? event.serviceTier : undefined) ?? read.tier
    return { usage: event.type === 'usage' ? event.usage : read.usage, tier }
  }, none)
}

/** Undefined for a whole answer. */
function framesOf({
  response: { sse, eventstream_base64: encoded },
}: CorpusCase): readonly SseFrame[] | undefined {
  if (encoded !== undefined) return createEventStreamFrames(16_000_000).push(Buffer.from(encoded, 'base64'))
  if (sse === undefined) return undefined
  const parser = createSseParser()
  const last = parser.push(Buffer.from(sse))
  const end = parser.end()
  return end === undefined ? last : [...last, end]
}
