import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { AssistantBlock } from '../../canonical/content.ts'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'

const form = { legacyCalls: true }

function callOf(id: string, name: string, input: string): AssistantBlock {
  return { type: 'tool-call', id, name, kind: 'function', input }
}

function replyOf(...content: readonly AssistantBlock[]): Reply {
  return { id: 'i', model: 'm', choices: [{ content, stopReason: 'tool-calls' }] }
}

function stream(reply: Reply) {
  const writer = createStreamWriter({ streamUsage: false, requestId: 'r1', ...form })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  return { text, losses: writer.losses }
}

describe('an answer for callers that sent their tools as functions', () => {
  it('has its call as the single function_call, with that finish reason', () => {
    const { value, losses } = writeReply(replyOf(callOf('c', 'f', '{"a":1}')), form)
    expect(value['choices']).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          function_call: { name: 'f', arguments: '{"a":1}' },
        },
        logprobs: null,
        finish_reason: 'function_call',
      },
    ])
    expect(losses).toEqual([])
  })

  it('streams the name first, then the arguments', () => {
    const { text, losses } = stream(replyOf(callOf('c', 'f', '{"a":1}')))
    const head =
      '{"id":"i","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":'
    const tail = ',"logprobs":null,"finish_reason":null}]}'
    expect(text.split('\n\n')).toEqual([
      `data: ${head}{"role":"assistant","content":null}${tail}`,
      `data: ${head}{"function_call":{"name":"f","arguments":""}}${tail}`,
      `data: ${head}{"function_call":{"arguments":"{\\"a\\":1}"}}${tail}`,
      `data: ${head}{},"logprobs":null,"finish_reason":"function_call"}]}`,
      'data: [DONE]',
      '',
    ])
    expect(losses).toEqual([])
  })

  it('has the first of several calls and declares the others lost, whole and streamed', () => {
    const reply = replyOf(callOf('a', 'f', '{}'), callOf('b', 'g', '{"b":2}'), callOf('c', 'h', '{}'))
    const written = [writeReply(reply, form), stream(reply)] as const
    const [whole, streamed] = written
    expect(whole.value['choices']).toMatchObject([
      { message: { function_call: { name: 'f', arguments: '{}' } } },
    ])
    expect(streamed.text).not.toMatch(/"g"|"h"|tool_calls/)
    for (const { losses } of written)
      expect(losses).toEqual([{ feature: 'parallel-tool-calls', kind: 'dropped' }])
  })

  it('retains its text beside the call, and its finish reason without a call', () => {
    const spoken = replyOf({ type: 'text', text: 'Hm.' }, callOf('c', 'f', '{}'))
    expect(writeReply(spoken, form).value['choices']).toMatchObject([
      { message: { content: 'Hm.', function_call: { name: 'f' } } },
    ])
    const silent: Reply = {
      ...spoken,
      choices: [{ content: [{ type: 'text', text: 'No.' }], stopReason: 'end' }],
    }
    expect(writeReply(silent, form).value['choices']).toMatchObject([
      { message: { content: 'No.' }, finish_reason: 'stop' },
    ])
  })

  it('is folded by the official client', async () => {
    const body = stream(replyOf(callOf('c', 'f', '{"a":1}'))).text
    const client = new OpenAI({
      apiKey: 'k',
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const call = client.chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      functions: [{ name: 'f' }],
    })
    const { choices } = await call.finalChatCompletion()
    expect(choices[0]?.message.function_call).toEqual({ name: 'f', arguments: '{"a":1}' })
    expect(choices[0]?.finish_reason).toBe('function_call')
  })
})
