import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'

const prices = 'models: { m: { price: { input: 1, output: 2 } } }\nretry: { attempts: 1 }\n'

/** A host that accepts connections and never answers a TLS handshake, so that no request can be sent to it. */
async function openMuteHost() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `https://127.0.0.1:${port}`,
    get connections() {
      return sockets.size
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function open(more = '') {
  await using cleanup = new AsyncDisposableStack()
  const host = cleanup.use(await openMuteHost())
  const channel = { name: 'c', format: 'chat', origin: host.origin, models: ['m'], more } as const
  const gateway = cleanup.use(await startGateway(channelYaml(channel) + prices))
  const admin = createAskAdmin(gateway.url)
  const rows = async () => rowListSchema.parse((await admin('GET', '/ledger')).body).data
  const opened = cleanup.move()
  return {
    host,
    post: (path: string, body: object, signal?: AbortSignal) =>
      fetch(`${gateway.url}/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
        ...(signal !== undefined && { signal }),
      }),
    async row() {
      await untilAsync('the row is written', async () => (await rows()).length === 1)
      const [row] = await rows()
      return row
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const prompt = 'word '.repeat(400)
const free = { state: 'void', cost_usd: 0, charged_usd: 0 }

it.each([
  ['/chat/completions', { messages: [{ role: 'user', content: prompt }] }],
  ['/chat/completions', { stream: true, messages: [{ role: 'user', content: prompt }] }],
  ['/images/generations', { prompt, n: 4 }],
])(
  'a caller of %s who leaves before the request can be sent to a provider pays nothing',
  async (path, body) => {
    await using opened = await open()
    const leaving = new AbortController()
    const asked = opened.post(path, body, leaving.signal).catch(() => 'left')
    await untilAsync('the provider is connected to', async () => opened.host.connections === 1)
    leaving.abort()
    expect(await asked).toBe('left')
    expect(await opened.row()).toMatchObject(free)
  },
)

it('a call whose connection is not ready in time costs nothing', async () => {
  await using opened = await open('timeouts: { tls: 300ms }')
  const asked = await opened.post('/chat/completions', { messages: [{ role: 'user', content: prompt }] })
  expect(asked.status).toBe(504)
  expect(await opened.row()).toMatchObject(free)
})
