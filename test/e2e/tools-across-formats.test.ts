import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { anthropicOf, openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
}

/** The answer as a stream whose calls come in small pieces. */
function streamOf(calls: readonly { readonly id: string; readonly name: string; readonly input: object }[]) {
  const events: readonly Record<string, unknown>[] = [
    { type: 'message_start', message: { ...answer, content: [], stop_reason: null } },
    ...calls.flatMap(({ id, name, input }, index) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      ...(JSON.stringify(input).match(/.{1,3}/gs) ?? []).map((partial_json) => ({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  return sseAnswer(events.map((event) => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`))
}

const parameters = { type: 'object', properties: {} }
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'files.read', parameters } },
  { type: 'custom', custom: { name: 'sql', description: 'Runs SQL.' } },
]

describe('the OpenAI SDK on a channel of the messages format', () => {
  it('gets its own tool names back, and free text for tools that accept it, whole and streamed', async () => {
    let sentName = ''
    await using open = await openGateway({
      format: 'messages',
      scripts: [
        ({ body }) => {
          const sent = JSON.parse(String(body))
          sentName = sent.tools[0].name
          const calls = [
            { id: 'c1', name: sentName, input: {} },
            { id: 'c2', name: 'sql', input: { input: 'SELECT "é"\n' } },
          ]
          if (sent.stream === true) return streamOf(calls)
          return jsonAnswer({ ...answer, content: calls.map((call) => ({ type: 'tool_use', ...call })) })
        },
      ],
    })
    const client = openaiOf(open).chat.completions
    const whole = await client.create({ model: 'm', messages, tools })
    expect(sentName).toMatch(/^files_read_[0-9a-f]{8}$/)
    expect(whole.choices[0]?.message.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'files.read', arguments: '{}' } },
      { id: 'c2', type: 'custom', custom: { name: 'sql', input: 'SELECT "é"\n' } },
    ])
    const pieces = []
    for await (const { choices } of await client.create({ model: 'm', messages, tools, stream: true })) {
      pieces.push(...(choices[0]?.delta.tool_calls ?? []))
    }
    expect(pieces).toMatchObject([
      { index: 0, id: 'c1', function: { name: 'files.read', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'c2', custom: { name: 'sql', input: '' } },
      { index: 1, custom: { input: 'SELECT "é"\n' } },
    ])
  })

  it('sends a conversation with such calls under the same names and ids again', async () => {
    await using open = await openGateway({
      format: 'messages',
      scripts: [
        jsonAnswer({ ...answer, stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] }),
      ],
    })
    const call = {
      id: 'files.read:0',
      type: 'function' as const,
      function: { name: 'files.read', arguments: '' },
    }
    await openaiOf(open).chat.completions.create({
      model: 'm',
      tools,
      tool_choice: { type: 'function', function: { name: 'files.read' } },
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'files.read:0', content: 'r' },
      ],
    })
    const sent = JSON.parse(String(open.upstreams[0]?.requests[0]?.body))
    const [, { content: asked }, { content: answered }] = sent.messages
    expect(asked[0].id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(answered[0].tool_use_id).toBe(asked[0].id)
    expect([asked[0].name, sent.tool_choice.name]).toEqual([sent.tools[0].name, sent.tools[0].name])
  })

  it.each(['', 'recovery: { mid_stream: verified }\n'])(
    'gets one function_call if it sent functions, whole and streamed %s',
    async (more) => {
      const calls = [
        { id: 'c1', name: 'f', input: { a: 1 } },
        { id: 'c2', name: 'g', input: {} },
      ]
      const content = calls.map((call) => ({ type: 'tool_use', ...call }))
      await using open = await openGateway({
        format: 'messages',
        scripts: [
          ({ body }) =>
            JSON.parse(String(body)).stream === true ? streamOf(calls) : jsonAnswer({ ...answer, content }),
        ],
        more,
      })
      const body = { model: 'm', messages, functions: [{ name: 'f', parameters }, { name: 'g' }] }
      const client = openaiOf(open).chat.completions
      const whole = (await client.create(body)).choices[0]
      const folded = (await client.stream(body).finalChatCompletion()).choices[0]
      for (const choice of [whole, folded]) {
        expect(choice?.finish_reason).toBe('function_call')
        expect(choice?.message.function_call).toEqual({ name: 'f', arguments: '{"a":1}' })
        expect(choice?.message.tool_calls).toBeUndefined()
      }
    },
  )

  it('gets one function_call in a stream from a whole answer of its channel', async () => {
    const content = [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }]
    await using open = await openGateway({
      format: 'messages',
      scripts: [jsonAnswer({ ...answer, content })],
    })
    const stream = openaiOf(open).chat.completions.stream({
      model: 'm',
      messages,
      functions: [{ name: 'f' }],
    })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.message.function_call).toEqual({ name: 'f', arguments: '{}' })
  })

  it('is refused several choices, strict or not, before any upstream is called', async () => {
    await using open = await openGateway({ format: 'messages', scripts: [jsonAnswer(answer)] })
    const refusal = await refusalOf(openaiOf(open).chat.completions.create({ model: 'm', messages, n: 2 }))
    expect(refusal).toMatchObject({ status: 400, code: 'cannot_be_carried', param: 'n' })
    expect(String(refusal)).toContain('one answer')
    expect(open.upstreams[0]?.requests).toEqual([])
  })
})

describe('a tool call whose arguments are not a JSON object', () => {
  const request = { model: 'm', max_tokens: 100, messages }
  const broken = (finishReason: string) =>
    jsonAnswer({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: finishReason,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"path":' } }],
          },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    })

  it('is never sent to an agent as a call that can be run', async () => {
    await using open = await openGateway({ scripts: [broken('tool_calls')] })
    const refusal = await refusalOf(anthropicOf(open).messages.create(request))
    expect(refusal).toMatchObject({ status: 502, error: { error: { code: 'upstream_bad_response' } } })
  })

  it('is shown up to its end if the length limit truncated the answer', async () => {
    await using open = await openGateway({ scripts: [broken('length')] })
    const message = await anthropicOf(open).messages.create(request)
    expect(message.stop_reason).toBe('max_tokens')
  })
})

describe('a free-text tool of a responses caller, on a chat channel that supports only functions', () => {
  const tools = [{ type: 'custom' as const, name: 'apply_patch', description: 'Changes files.' }]

  it('is called with free text, and its call is returned as a function’s', async () => {
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'apply_patch', arguments: '{"input":"*** a"}' },
    }
    await using open = await openGateway({
      scripts: [
        jsonAnswer({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [
            {
              index: 0,
              finish_reason: 'tool_calls',
              message: { role: 'assistant', content: null, tool_calls: [call] },
            },
          ],
        }),
      ],
    })
    const { responses } = openaiOf(open)
    const input = [{ role: 'user' as const, content: 'Hi' }]
    const { data, response } = await responses.create({ model: 'm', input, tools }).withResponse()
    expect(data.output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** a' },
    ])
    expect(response.headers.get('x-headgate-loss')).toContain('custom-tool=approximated')
    const [asked] = data.output
    if (asked?.type !== 'custom_tool_call') throw new Error('no call')
    const given = { type: 'custom_tool_call_output' as const, call_id: 'c1', output: 'done' }
    await responses.create({ model: 'm', input: [...input, asked, given], tools })
    const { messages: sent } = JSON.parse(String(open.upstreams[0]?.requests[1]?.body))
    expect(sent.slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ])
  })
})

describe('a structured answer, on a channel whose model accepts no schema', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }
  const json = { type: 'json_schema' as const, json_schema: { name: 'person', schema } }

  it.each([false, true])(
    'is requested through a tool, and returned as the answer itself (stream: %s)',
    async (stream) => {
      let sent: Record<string, unknown> = {}
      await using open = await openGateway({
        format: 'messages',
        provider: 'anthropic',
        models: ['claude-sonnet-4-0'],
        scripts: [
          ({ body }) => {
            sent = JSON.parse(String(body))
            const call = { id: 'c1', name: 'give_answer', input: { age: 3 } }
            return stream
              ? streamOf([call])
              : jsonAnswer({ ...answer, content: [{ type: 'tool_use', ...call }] })
          },
        ],
      })
      const { chat } = openaiOf(open)
      const asked = { model: 'claude-sonnet-4-0', messages, response_format: json }
      const completion = stream
        ? await chat.completions.stream(asked).finalChatCompletion()
        : await chat.completions.create(asked)
      expect(sent).toMatchObject({
        tools: [{ name: 'give_answer', input_schema: schema }],
        tool_choice: { type: 'tool', name: 'give_answer' },
      })
      expect(completion.choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: '{"age":3}' },
      })
      expect(completion.choices[0]?.message.tool_calls ?? []).toEqual([])
    },
  )
})
