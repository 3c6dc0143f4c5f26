import { Ollama } from 'ollama'
import { expect, it } from 'vitest'
import { anthropicOf, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { fieldsOf, listOf } from '../support/second-reader/meaning.ts'
import { testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
const tools = [{ name: 'f', input_schema: { type: 'object' as const, properties: {} } }]
const asked = { role: 'user' as const, content: 'Hi' }

const reasonings = {
  zai: { reasoning_content: 'Hm.' },
  openrouter: {
    reasoning: 'Hm.',
    reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 }],
  },
}

it.each([
  ['zai', 'glm-4.6', { reasoning_content: 'Hm.' }],
  ['openrouter', 'z-ai/glm-4.6', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
] as const)(
  'reasoning of %s beside calls is restored for a client that does not return it',
  async (provider, upstreamModel, wanted) => {
    needsOneProcess('another process learns of the reasoning a moment later')
    const message = { role: 'assistant', content: null, tool_calls: [call], ...reasonings[provider] }
    await using opened = await openGateway({
      format: 'chat',
      provider,
      upstreamModel,
      scripts: [
        jsonAnswer({
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: upstreamModel,
          choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
        }),
      ],
    })
    const body = { model: 'm', max_tokens: 100, tools }
    const first = await anthropicOf(opened).messages.create({ ...body, messages: [asked] })
    expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm.' })
    const content = first.content.filter((block) => block.type === 'tool_use')
    const result = { type: 'tool_result' as const, tool_use_id: 'c1', content: 'r' }
    await anthropicOf(opened).messages.create({
      ...body,
      messages: [asked, { role: 'assistant', content }, { role: 'user', content: [result] }],
    })
    const sent: unknown = JSON.parse(String(opened.upstreams[0]?.requests.at(-1)?.body))
    const turns = listOf(fieldsOf(sent)['messages']).map(fieldsOf)
    expect(turns.find(({ role }) => role === 'assistant')).toMatchObject(wanted)
  },
)

it('signed reasoning is restored for a client of Ollama that drops the IDs of calls', async () => {
  needsOneProcess('another process learns of the reasoning a moment later')
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
  const used = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
  await using opened = await openGateway({
    format: 'messages',
    provider: 'anthropic',
    upstreamModel: 'claude-sonnet-4-5',
    scripts: [
      jsonAnswer({
        id: 'x',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [thinking, used],
        stop_reason: 'tool_use',
        usage: { input_tokens: 5, output_tokens: 4 },
      }),
    ],
  })
  const client = new Ollama({
    host: opened.gateway.url,
    headers: { authorization: `Bearer ${testKey}` },
  })
  const body = { model: 'm', think: true, stream: false } as const
  const { message } = await client.chat({ ...body, messages: [asked] })
  const tool_calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
    function: { name, arguments: args },
  }))
  const result = { role: 'tool', content: 'r', tool_name: 'f' }
  await client.chat({ ...body, messages: [asked, { ...message, tool_calls }, result] })
  const sent: unknown = JSON.parse(String(opened.upstreams[0]?.requests.at(-1)?.body))
  const turns = listOf(fieldsOf(sent)['messages']).map(fieldsOf)
  expect(turns.find(({ role }) => role === 'assistant')).toMatchObject({ content: [thinking, used] })
  expect(turns.at(-1)).toMatchObject({ content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] })
})
