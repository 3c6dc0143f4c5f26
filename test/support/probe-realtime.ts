import { expect } from 'vitest'
import { fieldsOf } from './judged.ts'
import { openLiveUpstream } from './live-upstream.ts'
import { openRealtimeUpstream } from './realtime-upstream.ts'
import { openSocket, refusedHandshake, type SocketClient } from './socket-client.ts'
import { startGateway } from './start-gateway.ts'

const keyA = 'sk-a-0123456789abcdef0'
const keyB = 'sk-b-0123456789abcdef0'
const upstreamKey = 'sk-upstream-0123456789'
const realtime = '/v1/realtime'
const live = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

/** The provider's own words, which no answer may show. */
const hidden = [
  upstreamKey,
  'voice-of-provider',
  'talk-of-provider',
  'session-of-provider',
  'handle-of-provider',
]

async function openProbed() {
  await using cleanup = new AsyncDisposableStack()
  const voices = cleanup.use(await openRealtimeUpstream({ isManual: true }))
  const talks = cleanup.use(await openLiveUpstream({ isManual: true }))
  const more = `api_key: ${upstreamKey}, allow_private: true`
  const gateway = cleanup.use(
    await startGateway(`keys:
  - { name: a, secret: ${keyA}, models: [voice, talk] }
  - { name: b, secret: ${keyB}, models: [voice, talk] }
  - { name: c, secret: sk-c-0123456789abcdef0, models: [nothing] }
channels:
  - { name: v, provider: openai, base_url: "${voices.origin}/v1", ${more}, models: { voice: voice-of-provider } }
  - { name: t, provider: gemini, base_url: "${talks.origin}/v1beta", ${more}, models: { talk: talk-of-provider } }`),
  )
  const opened = cleanup.move()
  return { voices, talks, gateway, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/**
 * Opens so many sessions of each protocol and of two keys, each of which hears a word of its own, and shows the first
 * key's client secrets where they open nothing. Gives the number of requests and messages that could have crossed.
 */
export async function probeRealtime(rounds: number): Promise<number> {
  await using open = await openProbed()
  const { url } = open.gateway
  let probes = 0
  for (let round = 0; round < rounds; round += 1) {
    const secret = await makeSecret(url)
    probes += await probeSecret(url, secret)
    probes += await probeSessions(open, round)
  }
  return probes
}

async function makeSecret(url: string): Promise<string> {
  const made = await fetch(`${url}/v1/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyA}`, 'content-type': 'application/json' },
    body: '{"session":{"type":"realtime","model":"voice"}}',
  })
  return String(fieldsOf(await made.json())['value'])
}

/** A client secret opens realtime sessions of its model, and nothing else; a changed one nothing at all. */
async function probeSecret(url: string, secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const closed = ['/v1/models', '/v1/files', '/v1/batches', '/v1beta/models', '/api/tags']
  const asked = ['/v1/chat/completions', '/v1/responses', '/v1/realtime/client_secrets', '/v1/messages']
  for (const path of closed) expect((await fetch(url + path, { headers })).status).toBe(401)
  for (const path of asked) {
    const body = '{"model":"voice","input":"x","messages":[{"role":"user","content":"x"}],"max_tokens":1}'
    expect((await fetch(url + path, { method: 'POST', headers, body })).status).toBe(401)
  }
  const sockets: [path: string, key: string, status: number][] = [
    ['/v1/responses', secret, 401],
    [`${live}?key=${secret}`, '', 401],
    [`${realtime}?model=talk`, secret, 400],
    [realtime, secret.slice(0, -8), 401],
    [realtime, `${secret}AAAA`, 401],
    [realtime, `${secret.slice(0, 10)}AAAA${secret.slice(14)}`, 401],
    [realtime, secret.replace('ek-hg-', 'ek-'), 401],
    [`${realtime}?model=voice`, 'sk-c-0123456789abcdef0', 404],
  ]
  for (const [path, key, status] of sockets)
    expect([path, (await refusedHandshake(url, { path, key })).status]).toEqual([path, status])
  return closed.length + asked.length + sockets.length
}

type Probed = Awaited<ReturnType<typeof openProbed>>

/** Each of four sessions hears its own word alone, and no name of the provider's. */
async function probeSessions({ gateway: { url }, voices, talks }: Probed, round: number): Promise<number> {
  const clients: SocketClient[] = []
  const owners = [keyA, keyB]
  for (const [index, key] of owners.entries()) {
    const client = await openSocket(url, { key, path: `${realtime}?model=voice` })
    await client.next('session.created')
    const provider = await voices.session(round * owners.length + index)
    provider.send({ type: 'response.output_text.delta', response_id: 'r', delta: `voice ${round} ${index}` })
    clients.push(client)
  }
  for (const [index, key] of owners.entries()) {
    const client = await openSocket(url, { key: '', path: `${live}?key=${key}` })
    client.send({ setup: { model: 'models/talk' } })
    const provider = await talks.session(round * owners.length + index)
    await provider.next('setup')
    provider.send({ sessionResumptionUpdate: { newHandle: 'handle-of-provider', resumable: true } })
    provider.send({ serverContent: { modelTurn: { parts: [{ text: `talk ${round} ${index}` }] } } })
    clients.push(client)
  }
  const words = ['voice', 'talk'].flatMap((word) => owners.map((_, index) => `${word} ${round} ${index}`))
  for (const [index, client] of clients.entries()) {
    await expect.poll(() => JSON.stringify(client.events)).toContain(words[index])
    const shown = JSON.stringify(client.events)
    for (const word of words) expect(shown.includes(word)).toBe(word === words[index])
    for (const name of hidden) expect(shown).not.toContain(name)
  }
  for (const client of clients) await client[Symbol.asyncDispose]()
  return clients.length * (words.length - 1) + clients.length * hidden.length
}
