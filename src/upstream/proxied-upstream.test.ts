import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer, type Server } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { readCertificate, readIdentity } from '../../test/support/certificate.ts'
import { openProxy } from '../../test/support/open-proxy.ts'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import type { Upstream, UpstreamRequest } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

const authorities = { id: 'tests', pem: readCertificate('ca.crt') }
const echo: RequestListener = (message, response) =>
  void response.end(`${message.method} ${message.url} for ${message.headers.host}`)

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  return `127.0.0.1:${address.port}`
}

const plainRequest = {
  method: 'GET',
  pathAndQuery: '/v1/x',
  headers: {},
  body: emptyBody,
  connectTimeoutMs: 2_000,
  allowPrivate: false,
} as const

const openPlain = () => listen(createServer(echo))
const openSecure = () => listen(createSecureServer(readIdentity('first'), echo))

type Given = Partial<UpstreamRequest> & { readonly origin: string }

function openOnce(): Upstream {
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  return upstream
}

function faultOf(given: Given, upstream = openOnce()): Promise<TransportFault> {
  return new Promise((resolve, reject) => {
    const onAnswer = () => reject(new Error('there was an answer'))
    const request: UpstreamRequest = { ...plainRequest, ...given }
    upstream.call(request, { onHead: onAnswer, onData: onAnswer, onEnd: onAnswer, onFault: resolve })
  })
}

/** Asks once: the status and the body, or the fault. */
function askOnce(given: Given, upstream = openOnce()): Promise<string> {
  return new Promise((resolve) => {
    const parts: string[] = []
    const request: UpstreamRequest = { ...plainRequest, ...given }
    upstream.call(request, {
      onHead: (status) => void parts.push(`${status} `),
      onData: (chunk) => void parts.push(chunk.toString()),
      onEnd: () => resolve(parts.join('')),
      onFault: ({ kind, message }) => resolve(`${kind}: ${message}`),
    })
  })
}

it('an https upstream is reached through a tunnel, and its certificate is checked for its own name', async () => {
  await using proxy = await openProxy({ leadsTo: await openSecure() })
  const request = { origin: 'https://first.test', proxy: proxy.url, authorities }
  expect(await askOnce(request)).toBe('200 GET /v1/x for first.test')
  expect(await askOnce({ ...request, origin: 'https://second.test:8443' })).toMatch(/^tls: .*altnames/)
  expect(proxy.asked).toEqual(['CONNECT first.test:443', 'CONNECT second.test:8443'])
})

it('an IPv6 address is in brackets where a tunnel to it is requested', async () => {
  await using proxy = await openProxy({ leadsTo: await openSecure() })
  await askOnce({ origin: 'https://[2001:4860:4860::8888]', proxy: proxy.url, authorities })
  expect(proxy.asked).toEqual(['CONNECT [2001:4860:4860::8888]:443'])
})

it('an http upstream is reached with a request that the proxy forwards', async () => {
  await using proxy = await openProxy({ leadsTo: await openPlain() })
  expect(await askOnce({ origin: 'http://api.test:81', proxy: proxy.url })).toBe(
    '200 GET /v1/x for api.test:81',
  )
  expect(proxy.asked).toEqual(['GET http://api.test:81/v1/x'])
})

it.each(['http://api.test', 'https://first.test'])(
  'the proxy receives the user and password for %s',
  async (origin) => {
    const leadsTo = origin.startsWith('https') ? await openSecure() : await openPlain()
    await using proxy = await openProxy({ user: 'gate:p@ss word', leadsTo })
    const withUser = proxy.url.replace('://', '://gate:p%40ss%20word@')
    expect(await askOnce({ origin, proxy: withUser, authorities })).toMatch(/^200 /)
    const refused = await askOnce({ origin, proxy: proxy.url, authorities })
    expect(refused).toMatch(/^proxy-refused: .*407/)
  },
)

it.each(['http://api.test', 'https://first.test'])('a proxy over https serves %s', async (origin) => {
  const leadsTo = origin.startsWith('https') ? await openSecure() : await openPlain()
  await using proxy = await openProxy({ isSecure: true, leadsTo })
  expect(await askOnce({ origin, proxy: proxy.url, authorities })).toMatch(/^200 /)
  expect(await askOnce({ origin, proxy: proxy.url })).toMatch(/^tls: /)
})

it('an upstream with an untrusted certificate gets no request', async () => {
  const origin = `https://${await openSecure()}`
  expect(await askOnce({ origin, allowPrivate: true })).toMatch(/^tls: /)
  expect(await askOnce({ origin, allowPrivate: true, authorities })).toMatch(/^200 /)
})

it('a literal private address is refused before the proxy is contacted', async () => {
  await using proxy = await openProxy({ leadsTo: await openSecure() })
  for (const origin of [
    'https://10.0.0.7',
    'https://[fd00::1]',
    'http://127.0.0.1:9',
    'http://[::ffff:7f00:1]',
  ]) {
    expect(await askOnce({ origin, proxy: proxy.url, authorities })).toMatch(/^destination-refused: /)
  }
  expect(proxy.asked).toEqual([])
})

it('a proxy that never opens its tunnel hits the connect timeout', async () => {
  const silent = createTcpServer((socket) => onTestFinished(() => void socket.destroy()))
  const proxy = `http://${await listen(silent)}`
  const request = { origin: 'https://first.test', proxy, authorities, connectTimeoutMs: 100 }
  expect(await askOnce(request)).toMatch(/^connect-timeout: /)
})

it('a missing proxy is reported as a refused connection', async () => {
  const request = { origin: 'https://first.test', proxy: 'http://127.0.0.1:1', authorities }
  expect(await askOnce(request)).toMatch(/^refused: /)
})

it('a first call that breaks off is not reported as one on a reused connection', async () => {
  const breaking: RequestListener = (_message, response) => response.socket?.destroy()
  const leadsTo = await listen(createSecureServer(readIdentity('first'), breaking))
  await using proxy = await openProxy({ leadsTo })
  const direct = { origin: `https://${leadsTo}`, allowPrivate: true, authorities }
  const tunnelled = { origin: 'https://first.test', proxy: proxy.url, authorities }
  for (const request of [direct, tunnelled]) {
    expect(await faultOf(request)).toMatchObject({ kind: 'reset', onReusedConnection: false })
  }
})

it.each(['http://api.test', 'https://first.test'])(
  'a reset of a connection through the proxy that has served a call is reported as one on a reused connection: %s',
  async (origin) => {
    let served = 0
    const serve: RequestListener = (_message, answer) => {
      served += 1
      if (served === 1) answer.end('first')
      else proxy.reset()
    }
    const isSecure = origin.startsWith('https')
    const leadsTo = await listen(
      isSecure ? createSecureServer(readIdentity('first'), serve) : createServer(serve),
    )
    await using proxy = await openProxy({ leadsTo })
    const upstream = openOnce()
    const request = { origin, proxy: proxy.url, authorities }
    expect(await askOnce(request, upstream)).toBe('200 first')
    // The pool offers a connection again in the turn after its answer.
    await setImmediate()
    expect(await faultOf(request, upstream)).toMatchObject({ kind: 'reset', onReusedConnection: true })
  },
)
