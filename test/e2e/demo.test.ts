import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { refusalOf } from '../support/open-gateway.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

it('the demo answers every operation, and a model of the wrong kind with the place of the right one', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const chat = await client.chat.completions.create({ model: 'demo-chat', messages })
  expect(chat.choices[0]?.message.content).toMatch(/\S/)
  const completion = await client.completions.create({ model: 'demo-chat', prompt: 'Hi' })
  expect(completion.choices[0]?.text).toBe(chat.choices[0]?.message.content)
  const vectors = await client.embeddings.create({ model: 'demo-embed', input: 'Hi' })
  expect(vectors.data[0]?.embedding).toHaveLength(256)
  const refusals = await Promise.all([
    refusalOf(client.chat.completions.create({ model: 'demo-embed', messages })),
    refusalOf(client.completions.create({ model: 'demo-embed', prompt: 'Hi' })),
    refusalOf(client.embeddings.create({ model: 'demo-chat', input: 'Hi' })),
  ])
  const refusal = { status: 400, message: expect.stringContaining('/v1/') }
  expect(refusals).toMatchObject([refusal, refusal, refusal])
})
