import { expect, it } from 'vitest'
import { noUsage } from '../../canonical/usage.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { createMediaWatcher } from '../../wire/openai/media/media-watcher.ts'
import { createEventRelay } from './event-relay.ts'
import type { StreamRelay } from './stream-relay.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

const lines = (types: readonly string[], lineEnd: string) =>
  types
    .map((type) => `event: ${type}${lineEnd}data: {"type":"${type}","delta":{}}${lineEnd}${lineEnd}`)
    .join('')

const messages = (lineEnd: string) => {
  const delta = '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'
  return `event: message_delta${lineEnd}data: ${delta}${lineEnd}${lineEnd}${lines(['message_stop'], lineEnd)}`
}

/** A relay of the events of one image or more, of which each ends with `done`. */
const relayOfImages = (ends: number) =>
  createEventRelay({
    parser: createSseParser(),
    watcher: createMediaWatcher({
      ends,
      isEnd: (type) => type === 'done',
      isContent: () => true,
      readUsage: () => undefined,
      estimate: () => noUsage,
    }),
    bounds: { wholeBytes: 1_000, frameBytes: 1_000, streamBytes: 1_000 },
  })

const relays: readonly (readonly [string, () => StreamRelay, (lineEnd: string) => string])[] = [
  ['of the messages format', () => createVerbatimRelay(messagesFormat), messages],
  ['of images', () => relayOfImages(1), (lineEnd) => lines(['part', 'done'], lineEnd)],
  ['of images whose number is not reached', () => relayOfImages(2), (lineEnd) => lines(['done'], lineEnd)],
]

function relayAll(relay: StreamRelay, pieces: readonly string[]): string {
  const parts = [...pieces.flatMap((piece) => relay.push(Buffer.from(piece))), ...relay.end()]
  return parts.join('')
}

it.each(relays)(
  'the last event of a stream %s has its whole line end when its line feed comes late',
  (_of, open, write) => {
    const text = write('\r\n')
    const relay = open()
    expect(relayAll(relay, [text.slice(0, -1), text.slice(-1)])).toBe(text)
    expect([relay.isComplete, relay.failure]).toEqual([true, undefined])
  },
)

it.each(relays)(
  'a stream %s whose lines end in a carriage return alone passes unchanged',
  (_of, open, write) => {
    const text = write('\r')
    expect(relayAll(open(), [text])).toBe(text)
  },
)
