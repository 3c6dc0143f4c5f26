import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checksum,
  writeEventStreamMessage,
  writeRawMessage,
} from '../../../test/support/write-event-stream.ts'
import { createEventStreamDecoder, type EventStreamMessage } from './event-stream-decoder.ts'

const MAX_BYTES = 4096

const messageArbitrary = fc.record({
  name: fc.string({ minLength: 1, maxLength: 20 }),
  value: fc.string({ maxLength: 40, unit: 'binary' }),
  payload: fc.uint8Array({ maxLength: 200 }),
})

function write(messages: readonly { name: string; value: string; payload: Uint8Array }[]): Buffer {
  return Buffer.concat(
    messages.map(({ name, value, payload }) =>
      writeEventStreamMessage({ [name]: value }, Buffer.from(payload)),
    ),
  )
}

/** Cut at these places. */
function decode(bytes: Buffer, cuts: readonly number[]) {
  const decoder = createEventStreamDecoder(MAX_BYTES)
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const messages: EventStreamMessage[] = []
  for (const [index, from] of places.entries())
    messages.push(...decoder.push(bytes.subarray(from, places[index + 1] ?? bytes.length)))
  return { messages, fault: decoder.fault, pendingBytes: decoder.pendingBytes }
}

describe('the event stream decoder', () => {
  it('returns every message for any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.array(messageArbitrary, { maxLength: 5 }), fc.array(fc.nat()), (sent, cuts) => {
        const { messages, fault, pendingBytes } = decode(write(sent), cuts)
        expect([fault, pendingBytes]).toEqual([undefined, 0])
        const names = sent.map(({ name }) => name)
        expect(messages.map((message, index) => message.header(names[index] ?? ''))).toEqual(
          sent.map(({ value }) => Buffer.from(value).toString()),
        )
        expect(messages.map(({ payload }) => [...payload])).toEqual(sent.map(({ payload }) => [...payload]))
      }),
      { numRuns: 1000 },
    )
  })

  it('returns the same intact messages and the same fault after one changed byte, for any chunk boundaries', () => {
    fc.assert(
      fc.property(
        fc.array(messageArbitrary, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat()),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (sent, cuts, place, change) => {
          const bytes = write(sent)
          const at = place % bytes.length
          bytes[at] = (bytes[at] ?? 0) ^ change
          const { messages, fault } = decode(bytes, cuts)
          expect(fault).toBeDefined()
          expect(messages.length).toBeLessThan(sent.length)
          const uncut = decode(bytes, [])
          expect([messages.length, fault]).toEqual([uncut.messages.length, uncut.fault])
          expect(write(sent.slice(0, messages.length)).length).toBeLessThanOrEqual(at)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('holds back the incomplete message of a cut stream', () => {
    const whole = writeEventStreamMessage({ a: 'b' }, 'payload')
    const { messages, fault, pendingBytes } = decode(Buffer.concat([whole, whole.subarray(0, 20)]), [])
    expect([messages.length, fault, pendingBytes]).toEqual([1, undefined, 20])
  })

  it('never throws, and never buffers more than one message, whatever bytes arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
        const decoder = createEventStreamDecoder(MAX_BYTES)
        for (const chunk of chunks) decoder.push(Buffer.from(chunk))
        expect(decoder.pendingBytes).toBeLessThanOrEqual(MAX_BYTES)
      }),
    )
  })

  it('refuses a message above the size limit, even with a valid checksum', () => {
    const prelude = Buffer.alloc(8)
    prelude.writeUInt32BE(MAX_BYTES + 1, 0)
    const decoder = createEventStreamDecoder(MAX_BYTES)
    expect(decoder.push(Buffer.concat([prelude, checksum(prelude)]))).toEqual([])
    expect([decoder.fault, decoder.pendingBytes]).toEqual(['length', 0])
  })

  it('refuses a message whose headers would extend beyond its end', () => {
    const prelude = Buffer.alloc(8)
    prelude.writeUInt32BE(40, 0)
    prelude.writeUInt32BE(30, 4)
    const decoder = createEventStreamDecoder(MAX_BYTES)
    decoder.push(Buffer.concat([prelude, checksum(prelude), Buffer.alloc(40)]))
    expect(decoder.fault).toBe('length')
  })

  it('distinguishes a wrong prelude from a wrong message', () => {
    const message = writeEventStreamMessage({ a: 'b' }, 'payload')
    const wrongLength = Buffer.from(message)
    wrongLength[3] = 200
    expect(decode(wrongLength, []).fault).toBe('prelude-checksum')
    const wrongPayload = Buffer.from(message)
    wrongPayload[20] = 0
    expect(decode(wrongPayload, []).fault).toBe('message-checksum')
  })

  it('skips headers of every known type, and refuses an unknown type', () => {
    const header = (name: string, type: number, value: readonly number[]) =>
      Buffer.from([name.length, ...Buffer.from(name), type, ...value])
    const zeros = (count: number) => Array.from({ length: count }, () => 0)
    const others = [
      header('a', 0, []),
      header('b', 1, []),
      header('c', 2, zeros(1)),
      header('d', 3, zeros(2)),
      header('e', 4, zeros(4)),
      header('f', 5, zeros(8)),
      header('g', 6, [0, 2, 1, 1]),
      header('h', 8, zeros(8)),
      header('i', 9, zeros(16)),
    ]
    const text = header('name', 7, [0, 2, 0x68, 0x69])
    const [message] = decode(writeRawMessage(Buffer.concat([...others, text]), Buffer.from('x')), []).messages
    expect([message?.header('name'), message?.header('a'), message?.header('none')]).toEqual([
      'hi',
      undefined,
      undefined,
    ])
    expect(decode(writeRawMessage(header('j', 10, []), Buffer.alloc(0)), []).fault).toBe('headers')
    expect(decode(writeRawMessage(Buffer.from([4, 0x61]), Buffer.alloc(0)), []).fault).toBe('headers')
  })
})
