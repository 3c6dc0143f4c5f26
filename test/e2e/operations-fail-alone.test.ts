import { expect, it } from 'vitest'
import { openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const json = { 'content-type': 'application/json' }
const reply = {
  id: 'c',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
const answered: ScriptedAnswer = { headers: json, chunks: [JSON.stringify(reply)] }

const chat = ['/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }] as const
const others = [
  ['/v1/embeddings', { model: 'm', input: 'Hi' }],
  ['/v1/moderations', { model: 'm', input: 'Hi' }],
  ['/v1/audio/speech', { model: 'm', input: 'Hi', voice: 'alloy' }],
  ['/v1/images/generations', { model: 'm', prompt: 'A cat' }],
] as const

async function openOpenai(refusal: ScriptedAnswer) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(({ path }) => (path === '/v1/chat/completions' ? answered : refusal)),
  )
  const gateway = cleanup.use(
    await startGateway(
      `channels: [{ name: c, provider: openai, base_url: "${upstream.origin}/v1", allow_private: true, api_key: sk-upstream-0123456789, models: [m] }]\n`,
    ),
  )
  const open = cleanup.move()
  const post = async ([path, body]: readonly [string, object]) => {
    const headers = { ...json, authorization: `Bearer ${testKey}` }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    await answer.arrayBuffer()
    return answer.status
  }
  const health = async () => {
    const headers = { authorization: `Bearer ${testAdminToken}` }
    return await (await fetch(`${gateway.url}/admin/v1/health`, { headers })).json()
  }
  /** The lines of the metric for the model: the operation, empty for all, and its state. */
  const measured = async () => {
    const headers = { authorization: `Bearer ${testAdminToken}` }
    const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
    const lines = text.matchAll(/^headgate_health_state\{.*scope="model".*operation="(\w*)"\} (\S+)$/gm)
    return Object.fromEntries([...lines].map(([, operation, state]) => [operation, state]))
  }
  const alerts = async () => {
    const headers = { authorization: `Bearer ${testAdminToken}` }
    return await (await fetch(`${gateway.url}/admin/v1/alerts`, { headers })).json()
  }
  /** The operations that the metric of changes has for the model, each with its number of changes. */
  const changed = async () => {
    const headers = { authorization: `Bearer ${testAdminToken}` }
    const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
    const lines = text.matchAll(
      /^headgate_health_changes_total\{.*scope="model",to="open",.*operation="(\w*)"\} (\S+)$/gm,
    )
    return Object.fromEntries([...lines].map(([, operation, count]) => [operation, count]))
  }
  return {
    upstream,
    post,
    health,
    measured,
    changed,
    alerts,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

// Servers answer 404 at paths that they do not serve, and OpenAI 403 where a model has no vectors.
it.each<[string, ScriptedAnswer]>([
  ['404', { status: 404, headers: json, chunks: ['{"detail":"Not Found"}'] }],
  [
    '403',
    {
      status: 403,
      headers: json,
      chunks: ['{"error":{"message":"You are not allowed to generate embeddings from this model"}}'],
    },
  ],
])(
  'other operations that a provider refuses with %s leave conversations with the model',
  async (_status, refusal) => {
    await using open = await openOpenai(refusal)
    for (const other of others) {
      expect(await open.post(other)).toBeGreaterThanOrEqual(400)
      expect(await open.post(chat)).toBe(200)
    }
    needsOneProcess('each process learns by itself which other operations are refused')
    const asked = open.upstream.requests.length
    for (const other of others) expect(await open.post(other)).toBeGreaterThanOrEqual(400)
    // The refused operations are out of rotation by themselves.
    expect(open.upstream.requests.length).toBe(asked)
    expect(await open.health()).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({
          scope: 'model',
          state: 'open',
          operations: ['embedding', 'moderation', 'speech', 'image'],
        }),
      ]),
    })
    const out = { embedding: '0', moderation: '0', speech: '0', image: '0' }
    expect(await open.measured()).toEqual({ '': '1', ...out })
    // Each refusal keeps all that were refused before it out of rotation, too.
    expect(await open.changed()).toEqual({ embedding: '4', moderation: '3', speech: '2', image: '1' })
    expect(await open.alerts()).toMatchObject({
      data: [
        {
          details: { scope: 'model', operations: ['embedding', 'moderation', 'speech', 'image'] },
          message: expect.stringContaining('only for embedding, moderation, speech, image: out of rotation'),
        },
      ],
    })
  },
)
