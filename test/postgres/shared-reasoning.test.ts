import Anthropic from '@anthropic-ai/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { fieldsOf, listOf } from '../support/second-reader/meaning.ts'
import { type StartedGateway, testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { useNodes } from './open-nodes.ts'

const { openNode, database } = useNodes()
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
const message = { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'A thought.' }
const answer = jsonAnswer({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'glm-4.6',
  choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
})
const asked = { role: 'user' as const, content: 'Hi' }

test('a turn that reaches another node has the reasoning that the client omitted, sealed in transit', async () => {
  await database().empty()
  const upstream = await openScriptedUpstream(answer)
  onTestFinished(() => upstream.close())
  const yaml = `channels: [{ name: a, provider: zai, base_url: "${upstream.origin}/v1", api_key: sk-upstream-0123456789, models: { m: glm-4.6 }, allow_private: true }]
admin: { allow_private: true }
`
  const [first, second] = [await openNode(yaml), await openNode(yaml)]
  const clientOf = (node: StartedGateway) =>
    new Anthropic({ baseURL: node.url, apiKey: testKey, maxRetries: 0 })
  const tools = [{ name: 'f', input_schema: { type: 'object' as const, properties: {} } }]
  const body = { model: 'm', max_tokens: 100, tools }
  const reply = await clientOf(first).messages.create({ ...body, messages: [asked] })
  const content = reply.content.filter((block) => block.type === 'tool_use')
  const result = { type: 'tool_result' as const, tool_use_id: 'c1', content: 'r' }
  await untilAsync('the other node sends the reasoning', async () => {
    await clientOf(second).messages.create({
      ...body,
      messages: [asked, { role: 'assistant', content }, { role: 'user', content: [result] }],
    })
    const sent: unknown = JSON.parse(String(upstream.requests.at(-1)?.body))
    const turns = listOf(fieldsOf(sent)['messages']).map(fieldsOf)
    return turns.find(({ role }) => role === 'assistant')?.['reasoning_content'] === 'A thought.'
  })
  const { rows } = await database().database.query(
    "select content from node_events where topic = 'reasoning'",
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain('thought')
})
