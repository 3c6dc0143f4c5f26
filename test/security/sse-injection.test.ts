import { _iterSSEMessages as iterateAnthropic } from '@anthropic-ai/sdk/core/streaming'
import fc from 'fast-check'
import { _iterSSEMessages as iterateOpenai } from 'openai/core/streaming'
import { describe, expect, it } from 'vitest'
import { createFailure } from '../../src/canonical/failure.ts'
import type { ReplyEvent } from '../../src/canonical/reply-event.ts'
import { createSseParser } from '../../src/kit/sse/sse-parser.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { type ReadEvent, readEventStream } from '../support/read-event-stream.ts'

const formats = { chat: chatFormat, messages: messagesFormat }

/** Pieces from which an upstream would build events of its own. */
const evil = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\n\n',
  '\r\r',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u0000',
  '\ufeff',
  'data: ',
  'data:[DONE]',
  ': ',
  'event: message_stop',
  'event: error',
  'id: 1',
  'retry: 0',
  '"',
  '\\',
  '\\n',
  '}',
  '{"type":"message_stop"}',
  '\ud800',
  '😀',
)
const words = fc
  .array(fc.oneof(evil, fc.string({ unit: 'binary' })), { maxLength: 12 })
  .map((parts) => parts.join(''))

function eventsOf(id: string, texts: readonly string[]): readonly ReplyEvent[] {
  return [
    { type: 'reply-start', id, model: texts[0] ?? 'm', createdAtSeconds: 1 },
    { type: 'block-start', choice: 0, block: 0, start: { type: 'text' } },
    ...texts.map((text) => ({ type: 'text-delta', choice: 0, block: 0, text }) as const),
    { type: 'block-end', choice: 0, block: 0 },
    {
      type: 'block-start',
      choice: 0,
      block: 1,
      start: { type: 'tool-call', id, name: 'f', kind: 'function' },
    },
    ...texts.map((text) => ({ type: 'tool-input-delta', choice: 0, block: 1, text }) as const),
    { type: 'block-end', choice: 0, block: 1 },
    { type: 'choice-end', choice: 0, stopReason: 'end' },
    { type: 'reply-end' },
  ]
}

function readOurs(bytes: Buffer): readonly ReadEvent[] {
  const parser = createSseParser()
  const frames = [
    ...parser.push(bytes.subarray(0, bytes.length / 2)),
    ...parser.push(bytes.subarray(bytes.length / 2)),
  ]
  return frames.flatMap(({ event, data }) =>
    data === undefined ? [] : [{ event: event ?? 'message', data }],
  )
}

async function readBySdk(iterate: typeof iterateOpenai | typeof iterateAnthropic, bytes: Buffer) {
  const events: ReadEvent[] = []
  for await (const { event, data } of iterate(new Response(bytes), new AbortController())) {
    if (data !== '') events.push({ event: event ?? 'message', data })
  }
  return events
}

/** The same events by four readers of which three were not written here. */
async function readByAll(stream: string): Promise<readonly ReadEvent[]> {
  const bytes = Buffer.from(stream, 'utf8')
  const plain = readEventStream(bytes.toString('utf8'))
  expect(readOurs(bytes)).toEqual(plain)
  expect(await readBySdk(iterateOpenai, bytes)).toEqual(plain)
  expect(await readBySdk(iterateAnthropic, bytes)).toEqual(plain)
  return plain
}

describe.each(['chat', 'messages'] as const)(
  'content of an upstream, in a stream of the %s format',
  (name) => {
    it('creates exactly the events that the gateway wrote, whatever it contains', async () => {
      await fc.assert(
        fc.asyncProperty(words, fc.array(words, { minLength: 1, maxLength: 4 }), async (id, texts) => {
          const write = (said: readonly string[]) => {
            const writer = formats[name].createStreamWriter({ streamUsage: true, requestId: 'r1' })
            return eventsOf(id === '' ? 'i' : id, said)
              .map((event) => writer.push(event))
              .join('')
          }
          const said = texts.map((text) => `x${text}`)
          const events = await readByAll(write(said))
          const plain = readEventStream(write(said.map(() => 'x')))
          expect(events.map(({ event }) => event)).toEqual(plain.map(({ event }) => event))
          const shown = events
            .map(({ data }) => (data === '[DONE]' ? '' : JSON.stringify(JSON.parse(data))))
            .join('')
          for (const text of said) expect(shown).toContain(JSON.stringify(text).slice(1, -1))
        }),
        { numRuns: 500 },
      )
    })

    it('of an error creates one event, whatever it contains', async () => {
      await fc.assert(
        fc.asyncProperty(words, async (message) => {
          const failure = createFailure('upstream_error', { message, param: message })
          const events = await readByAll(formats[name].writeErrorEvent(failure, 'r1'))
          expect(events).toHaveLength(1)
          expect(JSON.stringify(JSON.parse(events[0]?.data ?? ''))).toContain(
            JSON.stringify(message).slice(1, -1),
          )
        }),
        { numRuns: 500 },
      )
    })
  },
)
