import { expect, it } from 'vitest'
import type { FormatId } from '../../src/canonical/format.ts'
import { ask } from '../support/ask.ts'
import { openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const json = (body: object, status = 200): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(body)],
})
const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-2024-11-20',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const bodies = {
  chat: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] },
  messages: { model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
} satisfies Partial<Record<FormatId, object>>

const azureYaml = (origin: string, credentials: string) => `
channels:
  - name: azure
    provider: azure-openai
    base_url: ${origin}
    allow_private: true
    api_key: azure-secret
    models: { gpt-4o: "my-gpt:4" }
    credentials: ${credentials}
`

it.each([
  ['chat', '{}', '/openai/v1/chat/completions'],
  ['messages', '{ api_version: preview }', '/openai/v1/chat/completions?api-version=preview'],
  [
    'chat',
    '{ api_version: 2024-10-21 }',
    '/openai/deployments/my-gpt%3A4/chat/completions?api-version=2024-10-21',
  ],
  [
    'messages',
    '{ api_version: 2024-10-21 }',
    '/openai/deployments/my-gpt%3A4/chat/completions?api-version=2024-10-21',
  ],
] as const)(
  'Azure is called for callers of %s with %s at %s, with the key in its own header',
  async (format, credentials, path) => {
    await using upstream = await openScriptedUpstream(json(answer))
    await using gateway = await startGateway(azureYaml(upstream.origin, credentials))
    const asked = await ask({ url: gateway.url, format }, bodies[format])
    expect(asked.status).toBe(200)
    const [request] = upstream.requests
    expect(request?.path).toBe(path)
    expect(request?.headers).toMatchObject({ 'api-key': 'azure-secret' })
    expect(request?.headers['authorization']).toBeUndefined()
    expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({ model: 'my-gpt:4' })
  },
)

it('a content filter of Azure is reported to the caller, a missing deployment is not', async () => {
  const filtered = {
    error: {
      message: 'The response was filtered due to the prompt triggering the content management policy.',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    },
  }
  const missing = { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } }
  await using upstream = await openScriptedUpstream([json(filtered, 400), json(missing, 404)])
  await using gateway = await startGateway(azureYaml(upstream.origin, '{}'))
  const first = await ask({ url: gateway.url, format: 'chat' }, bodies.chat)
  expect([first.status, JSON.parse(first.body.toString())]).toEqual([400, filtered])
  const second = await ask({ url: gateway.url, format: 'chat' }, bodies.chat)
  expect(second.status).toBe(502)
})

it.each(['api-version=2020-01-01&x=../..', 'beta=true', 'beta=true&api-version=2020-01-01'])(
  'the query %s of a caller cannot change the version or the address',
  async (query) => {
    await using upstream = await openScriptedUpstream(json(answer))
    await using gateway = await startGateway(azureYaml(upstream.origin, '{ api_version: 2024-10-21 }'))
    const response = await fetch(`${gateway.url}/v1/chat/completions?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodies.chat),
    })
    await response.text()
    expect(upstream.requests[0]?.path).toMatch(/chat\/completions\?api-version=2024-10-21$/)
  },
)

it('a list of models without an enclosing object is read', async () => {
  const upstreamAnswers = ({ path }: { path: string }) =>
    path.endsWith('/models') ? json([{ id: 'zai-org/GLM-5.3', type: 'chat' }]) : json(answer)
  await using upstream = await openScriptedUpstream(upstreamAnswers)
  await using gateway = await startGateway(`
channels:
  - { name: t, provider: together, base_url: "${upstream.origin}/v1", allow_private: true, api_key: k, models: "*" }
`)
  const asked = await ask({ url: gateway.url, format: 'chat' }, { ...bodies.chat, model: 'zai-org/GLM-5.3' })
  expect(asked.status).toBe(200)
})

it('a field that leads to other models is refused, and a translated request has the fields that the vendor accepts', async () => {
  await using upstream = await openScriptedUpstream(json(answer))
  await using gateway = await startGateway(`
channels:
  - { name: o, provider: openrouter, base_url: "${upstream.origin}/o", allow_private: true, api_key: k, models: [or] }
  - { name: m, provider: mistral, base_url: "${upstream.origin}/m", allow_private: true, api_key: k, models: [mi] }
models:
  mi: { reasoning: effort, reasoning_efforts: [none, high], refused_fields: [temperature], tool_choices: auto, top_k: true }
`)
  const steered = await ask(
    { url: gateway.url, format: 'chat' },
    { ...bodies.chat, model: 'or', models: ['other/model'] },
  )
  expect([steered.status, JSON.parse(steered.body.toString())]).toMatchObject([
    400,
    { error: { param: 'models' } },
  ])
  const translated = await ask(
    { url: gateway.url, format: 'messages' },
    {
      ...bodies.messages,
      model: 'mi',
      temperature: 0.5,
      top_k: 3,
      thinking: { type: 'enabled', budget_tokens: 2048 },
    },
  )
  expect(translated.status).toBe(200)
  expect(JSON.parse(upstream.requests[0]?.body.toString() ?? '')).toEqual({
    model: 'mi',
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: 50,
    top_k: 3,
    reasoning_effort: 'high',
  })
  expect(String(translated.headers['x-headgate-loss'])).toContain('sampling=dropped')
})
