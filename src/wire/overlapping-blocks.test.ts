import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../test/support/law-runs.ts'
import { overlapEvents } from '../../test/support/overlap-events.ts'
import type { AssistantBlock } from '../canonical/content.ts'
import { foldReply } from '../canonical/fold-reply.ts'
import type { Reply } from '../canonical/reply.ts'
import type { JsonValue } from '../kit/json/json.ts'
import { createSseParser } from '../kit/sse/sse-parser.ts'
import { bedrockConverseFormat } from './converse/caller-format.ts'
import { converseFormat } from './converse/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'
import type { ChannelFormat, ConversationFormat } from './wire-format.ts'

/** What callers of these formats get is read again as an answer of a channel. */
const formats: readonly (readonly [ConversationFormat, ChannelFormat])[] = [
  [messagesFormat, messagesFormat],
  [responsesFormat, responsesFormat],
  [geminiFormat, geminiFormat],
  [bedrockConverseFormat, converseFormat],
]

/** Blocks whose place depends on time: they are written when they are complete. */
const lateBlocks: ReadonlySet<AssistantBlock['type']> = new Set(['audio', 'image'])

/**
 * A call without arguments that may be cut. Whether it is the last block, and so the one that was cut, depends on time.
 */
function isBareCall(block: AssistantBlock): boolean {
  return block.type === 'tool-call' && (block.input === '' || block.input === '{}')
}

const replies = replyArbitrary({ without: ['audio', 'image', 'redacted-thinking', 'foreign-block'] }).filter(
  ({ createdAtSeconds, choices }) =>
    createdAtSeconds !== 0 &&
    choices.every(({ content }) => !content.some((block) => lateBlocks.has(block.type) || isBareCall(block))),
)
const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 60 })

function readStream(channel: ChannelFormat, text: string) {
  const reader = channel.createStreamReader()
  const frames = createSseParser().push(Buffer.from(text))
  return foldReply([...[...frames].flatMap((frame) => reader.push(frame)), ...reader.end()])
}

function overTheWire(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value))
}

/** A reader of the responses format gives reasoning the ID of its item in a stream alone. */
function withoutItemIds(reply: ReturnType<typeof readStream>): unknown {
  if (!('choices' in reply)) return reply
  const choices = reply.choices.map((choice) => ({ ...choice, content: choice.content.map(withoutItemId) }))
  return { ...reply, choices }
}

function withoutItemId(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'thinking' || block.extras?.format !== 'responses') return block
  const { extras: _extras, ...others } = block
  return others
}

describe('a stream whose blocks overlap', () => {
  it.each(formats.map(([format, channel]) => [format.id, format, channel] as const))(
    'gives callers of %s the whole answer',
    (_id, format, channel) => {
      fc.assert(
        fc.property(replies, picks, (reply: Reply, numbers) => {
          let at = 0
          const events = overlapEvents(reply, (count) => {
            at += 1
            return (numbers[at % numbers.length] ?? 0) % count
          })
          const writer = format.createStreamWriter({ streamUsage: true, requestId: 'r1' })
          const streamed = readStream(channel, events.map((event) => writer.push(event)).join(''))
          const whole = channel.readReply(overTheWire(format.writeReply(reply).value))
          expect(withoutItemIds(streamed)).toEqual(withoutItemIds(whole))
        }),
        { numRuns: LAW_RUNS },
      )
    },
  )
})
