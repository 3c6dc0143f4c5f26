import { describe, expect, it } from 'vitest'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { messagesFormat } from './format.ts'

function frameOf(data: JsonValue | string) {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return { event: undefined, data: text, bytes: Buffer.from(text) }
}

describe('scanRequest and spliceRequest of the messages format', () => {
  it('change only the name of the model', () => {
    const body = Buffer.from(
      '{ "thread":{"type":"create"},\n "model" : "public" ,"stream":true, "x": [1.0, 1e3] }',
    )
    const scanned = messagesFormat.scanRequest(BodyBytes.from([body]))
    expect([scanned.model, scanned.isStream]).toEqual(['public', true])
    const spliced = messagesFormat.spliceRequest(scanned, { model: 'up"stream', askForUsage: true })
    expect(Buffer.concat(spliced).toString()).toBe(
      '{ "thread":{"type":"create"},\n "model" : "up\\"stream" ,"stream":true, "x": [1.0, 1e3] }',
    )
    expect(messagesFormat.spliceRequest(scanned, { model: 'public', askForUsage: true })).toEqual([body])
  })

  it('refuse a field that a laxer upstream would read as a watched one', () => {
    for (const name of ['Max_Tokens', 'TOOLS', 'Temperature', 'mcp_Servers']) {
      const body = BodyBytes.from([Buffer.from(JSON.stringify({ model: 'm', [name]: 1 }))])
      expect(() => messagesFormat.scanRequest(body)).toThrow(`"${name}" must be written`)
    }
  })
})

describe('createStreamWatcher of the messages format', () => {
  const usage = { input_tokens: 9, cache_read_input_tokens: 3, output_tokens: 1 }
  const block = (kind: JsonValue) => ({ type: 'content_block_start', index: 0, content_block: kind })
  const delta = (part: JsonValue) => ({ type: 'content_block_delta', index: 0, delta: part })
  const inspections: readonly (readonly [JsonValue | string, boolean])[] = [
    [{ type: 'message_start', message: { model: 'm1', usage } }, false],
    [{ type: 'ping' }, false],
    [block({ type: 'text', text: '' }), false],
    [block({ type: 'thinking', thinking: '', signature: '' }), false],
    [block({ type: 'tool_use', id: 'a', name: 'b', input: {} }), true],
    [block({ type: 'server_tool_use', id: 'a' }), true],
    [delta({ type: 'text_delta', text: '' }), false],
    [delta({ type: 'text_delta', text: 'x' }), true],
    [delta({ type: 'input_json_delta', partial_json: '' }), false],
    [delta({ type: 'input_json_delta', partial_json: '{' }), true],
    [delta({ type: 'thinking_delta', thinking: 'x' }), true],
    [{ type: 'content_block_stop', index: 0 }, false],
    [{ type: 'message_delta', delta: { stop_reason: null }, usage: {} }, false],
    [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }, true],
    ['[DONE]', false],
  ]
  for (const [frame, content] of inspections) {
    it(`finds ${content ? 'content' : 'none'} in ${JSON.stringify(frame).slice(0, 80)}`, () => {
      expect(messagesFormat.createStreamWatcher().inspect(frameOf(frame))).toEqual({
        hasContent: content,
        isUsageOnly: false,
      })
    })
  }

  it('reads usage and both kinds of end', () => {
    const watcher = messagesFormat.createStreamWatcher()
    expect([watcher.usage, watcher.hasStopReason, watcher.isTerminated]).toEqual([undefined, false, false])
    for (const [frame] of inspections) watcher.inspect(frameOf(frame))
    expect(watcher.usage).toMatchObject({ freshInputTokens: 9, cacheReadTokens: 3, outputTokens: 7 })
    expect([watcher.hasStopReason, watcher.isTerminated]).toEqual([true, false])
    watcher.inspect(frameOf({ type: 'message_stop' }))
    expect(watcher.isTerminated).toBe(true)
  })

  const failures: readonly (readonly [JsonValue | string, string])[] = [
    ['{"type":"ping"', 'upstream_bad_response'],
    ['7', 'upstream_bad_response'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 'upstream_overloaded'],
    [{ error: { message: 'x' } }, 'upstream_error'],
  ]
  for (const [frame, code] of failures) {
    it(`fails with ${code} on ${JSON.stringify(frame)}`, () => {
      const inspection = messagesFormat.createStreamWatcher().inspect(frameOf(frame))
      expect(inspection).toMatchObject({ hasContent: false, failure: { code } })
    })
  }

  it('fails on a frame that only some clients read as the end', () => {
    const frame = { ...frameOf({ type: 'ping' }), event: 'message_stop' }
    const inspection = messagesFormat.createStreamWatcher().inspect(frame)
    expect(inspection.failure?.code).toBe('upstream_bad_response')
  })

  it('ignores a comment', () => {
    const comment = { event: undefined, data: undefined, bytes: Buffer.from(': hi\n\n') }
    expect(messagesFormat.createStreamWatcher().inspect(comment)).toEqual({
      hasContent: false,
      isUsageOnly: false,
    })
  })
})

describe('watchReply of the messages format', () => {
  it('finds the usage and the model, or the fault', () => {
    const good = { model: 'm1', content: [{}], usage: { input_tokens: 1, output_tokens: 2 } }
    expect(messagesFormat.watchReply(good)).toMatchObject({ usage: { outputTokens: 2 } })
    expect(messagesFormat.watchReply({ error: { type: 'api_error' } })).toMatchObject({
      failure: { code: 'upstream_error' },
    })
    expect(messagesFormat.watchReply('x')).toMatchObject({ failure: { code: 'upstream_bad_response' } })
    expect(messagesFormat.watchReply({ content: [] })).toMatchObject({ failure: { code: 'upstream_empty' } })
  })
})
