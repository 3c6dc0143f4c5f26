import { Ollama } from 'ollama'
import { describe, expect, it } from 'vitest'
import { answerStrictly } from '../support/agent/speech.ts'
import { answerEmbedding } from '../support/embedding-upstream.ts'
import { type OpenGateway, openGateway, refusalOf } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user', content: 'Hi' }]

function ollamaOf({ gateway }: OpenGateway): Ollama {
  return new Ollama({ host: gateway.url, headers: { authorization: `Bearer ${testKey}` } })
}

/** A gateway that serves the models `m`, `tagged:latest` and `sized:8b`. */
function openWithNames(more = ''): Promise<OpenGateway> {
  return openGateway({
    provider: 'openai',
    scripts: [
      (request) =>
        request.path.endsWith('/embeddings')
          ? answerEmbedding(request)
          : answerStrictly('chat', request, { text: 'Hello.' }),
    ],
    models: ['tagged:latest', 'sized:8b'],
    more,
  })
}

describe('a model of a caller of Ollama', () => {
  it.each([
    ['m:latest', 'm'],
    ['tagged', 'tagged:latest'],
    ['tagged:latest', 'tagged:latest'],
  ])('named %s is the model %s', async (asked, model) => {
    await using open = await openWithNames()
    const client = ollamaOf(open)
    expect((await client.chat({ model: asked, messages })).message.content).toBe('Hello.')
    expect((await client.generate({ model: asked, prompt: 'Hi' })).response).toBe('Hello.')
    expect((await client.embed({ model: asked, input: 'a' })).embeddings).toHaveLength(1)
    expect(await client.show({ model: asked })).toHaveProperty('capabilities')
    const sent = open.upstreams[0]?.requests.map(({ body }) => JSON.parse(String(body)).model)
    expect(sent).toEqual([model, model, model])
  })

  it.each(['sized', 'sized:latest', 'm:8b', 'none:latest'])('named %s is no model', async (model) => {
    await using open = await openWithNames()
    const client = ollamaOf(open)
    const missing = { status_code: 404, message: expect.stringContaining(`"${model}"`) }
    expect(await refusalOf(client.chat({ model, messages }))).toMatchObject(missing)
    expect(await refusalOf(client.show({ model }))).toMatchObject(missing)
  })

  it('is refused where the key may use it by neither name', async () => {
    await using open = await openWithNames(`keys: [{ name: a, secret: ${testKey}, models: [m] }]\n`)
    const client = ollamaOf(open)
    expect((await client.chat({ model: 'm:latest', messages })).message.content).toBe('Hello.')
    expect(await refusalOf(client.chat({ model: 'tagged', messages }))).toMatchObject({ status_code: 404 })
  })
})

it('a model of a caller of another format has one name', async () => {
  await using open = await openWithNames()
  const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm:latest', messages }),
  })
  expect(answer.status).toBe(404)
})
