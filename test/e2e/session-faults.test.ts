import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import {
  type FaultyUpstream,
  handshakeFaults,
  openFaultyUpstream,
  type SessionFault,
  sessionFaults,
} from '../support/faults/session-faults.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openLiveUpstream } from '../support/live-upstream.ts'
import { openRealtimeUpstream } from '../support/realtime-upstream.ts'
import { openSocket, refusedHandshake, type SocketClient } from '../support/socket-client.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const livePath = `/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=${testKey}`

interface Protocol {
  readonly provider: string
  readonly basePath: string
  open(): Promise<(AsyncDisposable & { readonly origin: string }) & Sessions>
  connect(url: string): Promise<SocketClient>
  /** Asks for a response, of which the provider then sends the beginning. */
  begin(client: SocketClient, provider: Provider): Promise<void>
}

interface Provider {
  readonly socket: import('ws').WebSocket
  send(message: object): void
  next(kind: string): Promise<unknown>
}

interface Sessions {
  readonly sessions: readonly unknown[]
  session(index: number): Promise<Provider>
}

const realtime: Protocol = {
  provider: 'openai',
  basePath: '/v1',
  open: () => openRealtimeUpstream({ isManual: true }),
  async connect(url) {
    const client = await openSocket(url, { path: '/v1/realtime?model=voice' })
    await client.next('session.created')
    return client
  },
  async begin(client, provider) {
    client.send({ type: 'response.create' })
    await provider.next('response.create')
    provider.send({ type: 'response.created', response: { id: 'resp_1' } })
    provider.send({ type: 'response.output_text.delta', response_id: 'resp_1', delta: 'Hel' })
    await client.next('response.output_text.delta')
  },
}

const live: Protocol = {
  provider: 'gemini',
  basePath: '/v1beta',
  open: () => openLiveUpstream({ isManual: true }),
  async connect(url) {
    const client = await openSocket(url, { key: '', path: livePath })
    client.send({ setup: { model: 'models/voice' } })
    await Promise.race([expect.poll(() => client.events.length).toBe(1), client.closed])
    return client
  },
  async begin(client, provider) {
    client.send({ clientContent: { turns: [], turnComplete: true } })
    await provider.next('clientContent')
    provider.send({ serverContent: { modelTurn: { parts: [{ text: 'Hel' }] } } })
    await expect.poll(() => client.events.length).toBe(2)
  },
}

async function openGateway({ provider, basePath }: Protocol, origins: readonly string[]) {
  const channels = origins.map(
    (origin, index) =>
      `  - { name: c${index}, provider: ${provider}, base_url: "${origin}${basePath}", api_key: sk-upstream-0123456789, allow_private: true, priority: ${9 - index}, models: { voice: x } }`,
  )
  return startGateway(`channels:\n${channels.join('\n')}\n`)
}

const protocols = [
  ['realtime', realtime],
  ['Live', live],
] as const
const opened = protocols.flatMap(([name, protocol]) =>
  handshakeFaults.map((fault) => [name, fault.name, protocol, fault] as const),
)
const running = protocols.flatMap(([name, protocol]) =>
  sessionFaults.map((fault) => [name, fault.name, protocol, fault] as const),
)

describe('while a session opens', () => {
  it.each(opened)('%s: after %s the next channel is called', async (_kind, _name, protocol, fault) => {
    await using broken: FaultyUpstream = await openFaultyUpstream(fault)
    await using good = await protocol.open()
    await using gateway = await openGateway(protocol, [broken.origin, good.origin])
    await using client = await protocol.connect(gateway.url)
    expect([broken.handshakes, good.sessions.length]).toEqual([1, 1])
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })

  it.each(opened)('%s: without another channel %s is an error', async (kind, _name, protocol, fault) => {
    await using broken = await openFaultyUpstream(fault)
    await using gateway = await openGateway(protocol, [broken.origin])
    if (kind === 'realtime') {
      const refused = await refusedHandshake(gateway.url, { path: '/v1/realtime?model=voice' })
      expect(refused.status).toBe(fault.status)
      expect(JSON.stringify(refused.body)).not.toContain('upstream words')
    } else {
      await using client = await protocol.connect(gateway.url)
      const [code, reason] = await client.closed
      expect([code, reason]).toEqual([1011, expect.stringMatching(/^upstream_/)])
      expect(reason).not.toContain('upstream words')
    }
    expect(broken.handshakes).toBe(1)
  })
})

async function expectEnd(kind: string, protocol: Protocol, fault: SessionFault): Promise<void> {
  await using good = await protocol.open()
  await using gateway = await openGateway(protocol, [good.origin])
  await using client = await protocol.connect(gateway.url)
  const provider = await good.session(0)
  await protocol.begin(client, provider)
  fault.happen(provider.socket)
  const [code, reason] = await client.closed
  expect([code, reason]).toEqual([1011, expect.stringContaining(fault.code)])
  if (kind === 'realtime') expect(client.events.at(-1)).toMatchObject({ type: 'error', error: {} })
  const admin = createAskAdmin(gateway.url)
  const rows = async () =>
    listOf(fieldsOf((await admin('GET', '/ledger?limit=9')).body)['data']).map(fieldsOf)
  await expect.poll(async () => (await rows()).map(({ state }) => state)).toEqual(['estimated'])
}

describe('in the middle of a response', () => {
  it.each(running)('%s: the session ends with the error if the provider %s', (kind, _name, protocol, fault) =>
    expectEnd(kind, protocol, fault),
  )
})
