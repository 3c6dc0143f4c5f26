import { describe, expect, it } from 'vitest'
import { loadCases } from './corpus.ts'
import { type RawAnswer, readAnswer } from './judge.ts'

function stream(format: RawAnswer['format'], events: readonly unknown[], end = ''): RawAnswer {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return { format, body: body + end, isStream: true }
}

describe('readAnswer', () => {
  it('reads a whole chat reply', () => {
    const body = JSON.stringify({
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            content: 'Hi',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
          },
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 5 } },
    })
    expect(readAnswer({ format: 'chat', body, isStream: false })).toEqual({
      text: 'Hi',
      thinking: 'hm',
      refusal: '',
      toolCalls: [{ name: 'f', arguments: { x: 1 } }],
      stopReason: 'tool-calls',
      usage: { input: 9, cacheRead: 5, output: 4 },
      error: undefined,
      isTerminated: true,
    })
  })

  it('joins the pieces of parallel calls in a chat stream, even if every call has index 0', () => {
    const piece = (index: number, call: object) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index, ...call }] } }],
    })
    const proper = stream(
      'chat',
      [
        piece(0, { id: 'a', function: { name: 'f', arguments: '' } }),
        piece(1, { id: 'b', function: { name: 'g', arguments: '{"y"' } }),
        piece(0, { function: { arguments: '{"x":1}' } }),
        piece(1, { function: { arguments: ':2}' } }),
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
      ],
      'data: [DONE]\n\n',
    )
    const expected = [
      { name: 'f', arguments: { x: 1 } },
      { name: 'g', arguments: { y: 2 } },
    ]
    expect(readAnswer(proper)).toMatchObject({
      toolCalls: expected,
      stopReason: 'tool-calls',
      isTerminated: true,
    })
    const careless = stream('chat', [
      piece(0, { id: 'a', function: { name: 'f', arguments: '{"x":1}' } }),
      piece(0, { id: 'b', function: { name: 'g', arguments: '{"y":2}' } }),
    ])
    expect(readAnswer(careless)).toMatchObject({
      toolCalls: expected,
      stopReason: undefined,
      isTerminated: false,
    })
  })

  it('reads a messages stream, and excludes calls that the provider runs', () => {
    const judged = readAnswer(
      stream('messages', [
        {
          type: 'message_start',
          message: { usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'f', input: {} } },
        {
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: '{"x":1}' },
        },
        {
          type: 'content_block_start',
          index: 2,
          content_block: { type: 'server_tool_use', name: 'web', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 2,
          delta: { type: 'input_json_delta', partial_json: '{"q":1}' },
        },
        { type: 'content_block_start', index: 3, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 8 } },
        { type: 'message_stop' },
      ]),
    )
    expect(judged).toEqual({
      text: 'Hi',
      thinking: 'hm',
      refusal: '',
      toolCalls: [{ name: 'f', arguments: { x: 1 } }],
      stopReason: 'tool-calls',
      usage: { input: 7, cacheRead: 4, output: 8 },
      error: undefined,
      isTerminated: true,
    })
  })

  it('reads a whole messages reply', () => {
    const body = JSON.stringify({
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool_use', name: 'f', input: { x: 1 } },
        { type: 'tool_use', name: 'g', input: {} },
      ],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 1, cache_creation_input_tokens: 2, output_tokens: 3 },
    })
    expect(readAnswer({ format: 'messages', body, isStream: false })).toMatchObject({
      text: 'a',
      toolCalls: [
        { name: 'f', arguments: { x: 1 } },
        { name: 'g', arguments: {} },
      ],
      stopReason: 'length',
      usage: { input: 3, cacheRead: 0, output: 3 },
    })
  })

  it('reads errors of both formats', () => {
    expect(readAnswer(stream('chat', [{ error: { message: 'no' } }])).error).toEqual({ message: 'no' })
    const event = { type: 'error', error: { type: 'overloaded_error' } }
    expect(readAnswer(stream('messages', [event])).error).toEqual({ type: 'overloaded_error' })
  })

  for (const [api, format] of [
    ['openai.chat', 'chat'],
    ['anthropic.messages', 'messages'],
  ] as const) {
    const cases = loadCases({ api })
    it.skipIf(cases === undefined)(
      `finds text, calls, an error or at least a stop in every recording of ${api}`,
      () => {
        const silent = (cases ?? []).filter(({ response: { body, sse } }) => {
          if (body === undefined && sse === undefined) return false
          const judged = readAnswer({
            format,
            body: sse ?? JSON.stringify(body),
            isStream: sse !== undefined,
          })
          const said = judged.text + judged.thinking + judged.refusal
          return (
            said === '' &&
            judged.toolCalls.length + Number(judged.stopReason !== undefined) === 0 &&
            judged.error === undefined
          )
        })
        expect(silent.map(({ id }) => id)).toEqual([])
      },
    )
  }

  it('reads Gemini’s chunks, as events and as a list, with calls in several pieces', () => {
    const say = (parts: readonly object[], more: object = {}) => ({
      candidates: [{ content: { parts }, index: 0, ...more }],
    })
    const piece = (partialArgs: readonly object[]) =>
      say([{ functionCall: { partialArgs, willContinue: true } }])
    const chunks = [
      say([{ text: 'hm', thought: true }, { text: 'Hi' }]),
      say([
        { functionCall: { name: 'f', args: { x: 1 } } },
        { functionCall: { name: 'g', willContinue: true } },
      ]),
      piece([{ jsonPath: '$.a[0].b', stringValue: 'on' }]),
      piece([
        { jsonPath: '$.a[0].b', stringValue: 'e' },
        { jsonPath: '$.n', numberValue: 2 },
      ]),
      {
        ...say([{ functionCall: {} }], { finishReason: 'STOP' }),
        usageMetadata: {
          promptTokenCount: 5,
          toolUsePromptTokenCount: 2,
          cachedContentTokenCount: 3,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 6,
        },
      },
    ]
    const expected = {
      text: 'Hi',
      thinking: 'hm',
      toolCalls: [
        { name: 'f', arguments: { x: 1 } },
        { name: 'g', arguments: { a: [{ b: 'one' }], n: 2 } },
      ],
      stopReason: 'tool-calls',
      usage: { input: 7, cacheRead: 3, output: 10 },
      isTerminated: true,
    }
    expect(readAnswer(stream('gemini', chunks))).toMatchObject(expected)
    const body = JSON.stringify(chunks)
    expect(readAnswer({ format: 'gemini', body, isStream: false })).toMatchObject(expected)
    expect(readAnswer(stream('gemini', chunks.slice(0, 1)))).toMatchObject({ isTerminated: false })
    const refused = stream('gemini', [{ promptFeedback: { blockReason: 'SAFETY' } }])
    expect(readAnswer(refused).stopReason).toBe('refused')
  })
})
