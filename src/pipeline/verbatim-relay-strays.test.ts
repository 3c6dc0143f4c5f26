import { expect, it } from 'vitest'
import { chatFormat } from '../wire/chat/chat-format.ts'
import { messagesFormat } from '../wire/messages/messages-format.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
const event = (value: { readonly type: string; readonly [name: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

it('a chat stream loses events that are not its own, which clients would take for chunks', () => {
  const relay = createVerbatimRelay(chatFormat, false)
  const words = chunk({ content: 'Hi' })
  const parts = relay.push(Buffer.from(`event: weather\ndata: {"sky":"blue"}\n\n${words}`))
  expect(Buffer.concat(parts.map((part) => Buffer.from(part))).toString()).toBe(words)
})

it('a terminator after nothing is an empty answer, and is not shown', () => {
  const relay = createVerbatimRelay(chatFormat, false)
  relay.push(Buffer.from(chunk({ role: 'assistant', content: '' })))
  expect(relay.push(Buffer.from('data: [DONE]\n\n'))).toEqual([])
  expect([relay.isComplete, relay.failure?.code]).toEqual([false, 'upstream_empty'])
})

it('words for a block of a message that is over are a fault', () => {
  const relay = createVerbatimRelay(messagesFormat, false)
  const delta = event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } })
  const start = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  relay.push(Buffer.from(start + delta))
  expect(relay.failure).toBeUndefined()
  relay.push(Buffer.from(event({ type: 'content_block_stop', index: 0 }) + delta))
  expect(relay.failure?.code).toBe('upstream_bad_response')
})
