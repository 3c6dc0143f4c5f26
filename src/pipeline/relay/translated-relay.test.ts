import { describe, expect, it } from 'vitest'
import { chatFormat } from '../../wire/chat/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { createTranslatedRelay } from './translated-relay.ts'

function relay(...chunks: readonly string[]) {
  const stream = createTranslatedRelay({
    reader: chatFormat.createStreamReader(),
    writer: messagesFormat.createStreamWriter({ streamUsage: true, requestId: 'r' }),
    createdAtSeconds: 1,
    costOf: undefined,
  })
  const text = [...chunks.flatMap((chunk) => stream.push(Buffer.from(chunk))), ...stream.end()].join('')
  return { stream, text }
}

const said = 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
const ended = 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'

describe('a translated stream', () => {
  it.each([
    ['before the answer', []],
    ['within the answer', [said]],
  ])('ends in the error of a line that llama.cpp sends %s', (_name, before) => {
    const error = { error: { code: 400, message: 'The context is full.', type: 'invalid_request_error' } }
    const { stream } = relay(...before, `error: ${JSON.stringify(error)}\n\n`)
    expect(stream.failure?.code).toBe('upstream_rejected')
    expect(stream.failure?.upstream?.message).toBe('The context is full.')
  })

  it('that ends before any answer begins is a failure of the upstream, and no progress', () => {
    const { stream } = relay('data: {"id":"c","model":"m","choices":[]}\n\n', 'data: [DONE]\n\n')
    expect(stream.failure?.code).toBe('upstream_empty')
    expect(stream.hasContent).toBe(false)
    expect(stream.progress).toBe(0)
    expect(relay(said, ended, 'data: [DONE]\n\n').stream.progress).toBeGreaterThan(0)
  })

  it('passes over comments and events without data', () => {
    const { stream, text } = relay(': ping\n\n', said, 'event: ping\n\n', ended)
    expect(stream.isComplete).toBe(true)
    expect(text).toContain('message_stop')
  })
})
