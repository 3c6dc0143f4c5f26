import OpenAI, { toFile } from 'openai'
import { expect, it } from 'vitest'
import { refusalOf } from '../support/open-gateway.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

it('the demo answers every operation, and a model of the wrong kind with the name of the right one', async () => {
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

it('the demo draws images, speaks, transcribes its own speech, ranks and moderates', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const model = 'demo-chat'
  const drawn = await client.images.generate({ model, prompt: 'a gate', n: 2 })
  const pictures = drawn.data?.map(({ b64_json: data = '' }) => Buffer.from(data, 'base64'))
  expect(pictures?.map((bytes) => bytes.toString('latin1', 1, 4))).toEqual(['PNG', 'PNG'])
  const image = await toFile(pictures?.[0] ?? Buffer.alloc(0), 'a.png', { type: 'image/png' })
  const changes = await client.images.edit({ model, prompt: 'bluer', image, stream: true })
  const types = []
  for await (const event of changes) types.push(event.type)
  expect(types).toEqual(['image_edit.completed'])
  const spoken = await client.audio.speech.create({ model, input: 'a'.repeat(30), voice: 'any' })
  const file = await toFile(Buffer.from(await spoken.arrayBuffer()), 'said.wav')
  const heard = await client.audio.transcriptions.create({ model, file })
  expect(heard.text).toBe('This is a recording of 2 seconds with the name said.wav.')
  const subtitles = await client.audio.transcriptions.create({ model, file, response_format: 'srt' })
  expect(subtitles).toContain('00:00:00,000 --> 00:00:02,000')
  const judged = await client.moderations.create({ model, input: ['good day', 'I hate it'] })
  expect(judged.results.map(({ flagged }) => flagged)).toEqual([false, true])
  const documents = ['A stone.', 'The gate is open.']
  const ranked = await fetch(`${gateway.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-embed', query: 'Which gate is open?', documents }),
  })
  expect(await ranked.json()).toMatchObject({ results: [{ index: 1 }, { index: 0 }] })
})
