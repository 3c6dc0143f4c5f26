import { describe, expect, it } from 'vitest'
import { chatFormat } from '../../wire/chat/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
const event = (value: { readonly type: string; readonly [name: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

it('a chat stream loses foreign events, which clients would take for chunks', () => {
  const relay = createVerbatimRelay(chatFormat)
  const words = chunk({ content: 'Hi' })
  const parts = relay.push(Buffer.from(`event: weather\ndata: {"sky":"blue"}\n\n${words}`))
  expect(Buffer.concat(parts.map((part) => Buffer.from(part))).toString()).toBe(words)
})

it('a terminator without content is an empty answer, and is not shown', () => {
  const relay = createVerbatimRelay(chatFormat)
  relay.push(Buffer.from(chunk({ role: 'assistant', content: '' })))
  expect(relay.push(Buffer.from('data: [DONE]\n\n'))).toEqual([])
  expect([relay.isComplete, relay.failure?.code]).toEqual([false, 'upstream_empty'])
})

it('a delta for a block of a finished message is a failure', () => {
  const relay = createVerbatimRelay(messagesFormat)
  const delta = event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } })
  const start = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  relay.push(Buffer.from(start + delta))
  expect(relay.failure).toBeUndefined()
  relay.push(Buffer.from(event({ type: 'content_block_stop', index: 0 }) + delta))
  expect(relay.failure?.code).toBe('upstream_bad_response')
})

describe('an event without data', () => {
  const words = chunk({ content: 'Hi' })

  it.each(['event: chunk\n\n', 'event: chunk\ndata:\n\n', 'data:\n\n', 'data: \n\n'])(
    'is left out, since clients read it as broken JSON: %j',
    (empty) => {
      const relay = createVerbatimRelay(chatFormat)
      expect(relay.push(Buffer.from(words + empty)).join('')).toBe(words)
      expect(relay.failure).toBeUndefined()
    },
  )

  it('ends no message by its name alone', () => {
    const relay = createVerbatimRelay(messagesFormat)
    expect(relay.push(Buffer.from('event: message_stop\n\n'))).toEqual([])
    expect([relay.isComplete, relay.end(), relay.failure?.code]).toEqual([false, [], 'upstream_empty'])
  })

  it('is left out after the end as well', () => {
    const relay = createVerbatimRelay(messagesFormat)
    const delta = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })
    const whole = delta + event({ type: 'message_stop' })
    expect(relay.push(Buffer.from(`${whole}event: message_stop\n\n`)).join('')).toBe(whole)
    expect(relay.isComplete).toBe(true)
  })

  it.each([chatFormat, messagesFormat])('is a failure if its name says so', (format) => {
    const relay = createVerbatimRelay(format)
    expect(relay.push(Buffer.from('event: error\n\n'))).toEqual([])
    expect(relay.failure?.code).toBe('upstream_error')
  })
})

it('a comment passes unchanged', () => {
  const relay = createVerbatimRelay(chatFormat)
  expect(relay.push(Buffer.from(': still working\n\n')).join('')).toBe(': still working\n\n')
})

it('an error on a line of llama.cpp’s own kind is a failure, and does not pass', () => {
  const relay = createVerbatimRelay(chatFormat)
  const words = chunk({ content: 'Hi' })
  const error = 'error: {"code":500,"message":"no slot","type":"server_error"}\n\n'
  expect(relay.push(Buffer.from(words + error)).join('')).toBe(words)
  expect(relay.failure?.code).toBe('upstream_error')
})

it('such an error is recognised even without the blank line at the end of the stream', () => {
  const relay = createVerbatimRelay(chatFormat)
  relay.push(Buffer.from(chunk({ content: 'Hi' })))
  relay.push(Buffer.from('error: {"code":500,"message":"no slot","type":"server_error"}'))
  expect(relay.end()).toEqual([])
  expect(relay.failure?.code).toBe('upstream_error')
})

it('a terminator after white space, which clients cannot read, is rewritten without waiting', () => {
  const relay = createVerbatimRelay(chatFormat)
  const words = chunk({ content: 'Hi' })
  expect(relay.push(Buffer.from(`${words}data:  [DONE]\n\n`)).join('')).toBe(`${words}data: [DONE]\n\n`)
  expect(relay.isComplete).toBe(true)
})
