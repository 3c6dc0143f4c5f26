import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { makeOwner } from '../support/admin-browser.ts'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function ask({ app }: StartedGateway, path: string, asked: Asked = {}): Promise<Answered> {
  const { port } = app.adminAddress ?? app.address
  const { method = 'GET', headers = {}, body = '' } = asked
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const { statusCode: status = 0 } = response
      text(response).then((read) => resolve({ status, headers: response.headers, body: read }), reject)
    })
    sent.on('error', reject).end(body)
  })
}

const authorization = `Bearer ${testAdminToken}`

describe('an answer of the admin listener', () => {
  it.each<[number, string, Asked]>([
    [200, '/admin/v1/keys', { headers: { authorization } }],
    [200, '/admin/v1/ledger/export', { headers: { authorization } }],
    [200, '/metrics', {}],
    [400, '/admin/v1/keys', { method: 'POST', headers: { authorization } }],
    [401, '/admin/v1/keys', {}],
    [404, '/admin/v1/no-such-thing', {}],
    [404, '/console/assets/no-such-file.js', {}],
    [405, '/admin/v1/audit', { method: 'DELETE', headers: { authorization } }],
    [421, '/admin/v1/keys', { headers: { host: 'evil.test', authorization } }],
  ])('forbids framing, sniffing, embedding and caching: %i %s', async (status, path, asked) => {
    await using gateway = await startGateway(demo)
    const answer = await ask(gateway, path, asked)
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cache-control': 'no-store',
    })
    expect(answer.headers['strict-transport-security']).toBeUndefined()
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('has HSTS if it was sent over TLS, and never on loopback', async () => {
    await using gateway = await startGateway(`public_url: https://models.example.com:8443\n${demo}`)
    const strict = async (host: string) =>
      (await ask(gateway, '/admin/v1/keys', { headers: { host, authorization } })).headers[
        'strict-transport-security'
      ]
    expect(await strict('models.example.com:8443')).toBe('max-age=31536000')
    expect(await strict('models.example.com')).toBeUndefined()
    expect(await strict('localhost')).toBeUndefined()
  })
})

it('an answer to callers has none of these headers', async () => {
  await using gateway = await startGateway(demo)
  const { headers } = await ask(gateway, '/v1/models', { headers: { authorization: `Bearer ${testKey}` } })
  expect(headers['content-security-policy']).toBeUndefined()
  expect(headers['x-frame-options']).toBeUndefined()
})

describe('a body that a form of a foreign page can send', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'is refused with 415 for its content type: %j',
    async (type) => {
      await using gateway = await startGateway(demo)
      const { cookie = '' } = await makeOwner(gateway)
      const headers = {
        cookie,
        'sec-fetch-site': 'same-origin',
        ...(type !== '' && { 'content-type': type }),
      }
      const body = '{"name":"made by a form"}'
      const answer = await ask(gateway, '/admin/v1/keys', { method: 'POST', headers, body })
      expect(answer).toMatchObject({
        status: 415,
        body: expect.stringContaining('"code":"unsupported_media_type"'),
      })
      const signIn = await ask(gateway, '/admin/v1/sign-in', { method: 'POST', headers, body })
      expect(signIn.status).toBe(415)
    },
  )
})
