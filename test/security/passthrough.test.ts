import { describe, expect, it } from 'vitest'
import { openRawClient } from '../support/raw-client.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'

const key = 'sk-pass-0123456789abcdef'
const upstreamKey = 'sk-upstream-0123456789'

async function open() {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(() => ({
      ...jsonAnswer({ ok: true }),
      headers: {
        'content-type': 'application/json',
        'set-cookie': 'session=1',
        'x-ratelimit-remaining-requests': '7',
        'openai-organization': 'org-operators',
        'x-leak': upstreamKey,
      },
    })),
  )
  const channel = (name: string, rules: string) =>
    `  - { name: ${name}, provider: openai, base_url: "${upstream.origin}/v1", api_key: ${upstreamKey}, allow_private: true, models: [m], ${rules} }`
  const gateway = cleanup.use(
    await startGateway(`keys:
  - { name: ci, secret: ${key}, passthrough: [direct, closed] }
  - { name: none, secret: sk-none-0123456789abcdef }
  - { name: grouped, secret: sk-group-0123456789abcdef, group: search, passthrough: [direct, second] }
groups: { search: { passthrough: [second] } }
channels:
${channel('direct', 'passthrough: [{ path: "/files/*", methods: [GET, POST] }]')}
${channel('second', 'passthrough: [{ path: "/**" }]')}
${channel('closed', '')}`),
  )
  const opened = cleanup.move()
  return {
    upstream,
    gateway,
    /** Sends a request line as it is; gives the whole answer. */
    async send(line: string, headers: readonly string[] = [], body = '') {
      const client = await openRawClient(Number(new URL(gateway.url).port))
      client.send(
        [
          `${line} HTTP/1.1`,
          'host: 127.0.0.1',
          `authorization: Bearer ${key}`,
          ...headers,
          'connection: close',
          '',
          body,
        ].join('\r\n'),
      )
      await client.ended
      client.close()
      return client.text
    },
    ask: (path: string, secret: string, init: RequestInit = {}) =>
      fetch(`${gateway.url}/passthrough${path}`, {
        ...init,
        headers: { authorization: `Bearer ${secret}`, ...init.headers },
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

describe('a path that two servers may parse differently is refused:', () => {
  it.each([
    '/passthrough/direct/files/../models',
    '/passthrough/direct/files/..',
    '/passthrough/direct/./files/a',
    '/passthrough/direct/files/%2e%2e/models',
    '/passthrough/direct/files/%2E%2E%2Fmodels',
    '/passthrough/direct/files%2fa',
    '/passthrough/direct/files/a%5c..%5cmodels',
    '/passthrough/direct/files/a\\..\\models',
    '/passthrough/direct/files/%252e%252e',
    '/passthrough/direct/files/..;/models',
    '/passthrough/direct/files/a%00b',
    '/passthrough/direct/files/a%0d%0ax-y:z',
    '/passthrough/direct//files/a',
    '/passthrough/direct/files//',
    '/passthrough/direct/files/a%zz',
    '/passthrough/direct/http://127.0.0.1:1/files/a',
    '/passthrough/direct/@evil.example/files',
  ])('%s', async (path) => {
    await using opened = await open()
    expect(await opened.send(`GET ${path}`)).toMatch(/^HTTP\/1\.1 (?:400|404) /)
    expect(opened.upstream.requests.length).toBe(0)
  })

  it('no rule allows an unlisted path or method', async () => {
    await using opened = await open()
    for (const [method, path] of [
      ['GET', '/direct/models'],
      ['GET', '/direct/files'],
      ['GET', '/direct/files/a/b'],
      ['DELETE', '/direct/files/a'],
      ['GET', '/closed/files/a'],
    ] as const)
      expect((await opened.ask(path, key, { method })).status).toBe(404)
    expect(opened.upstream.requests.length).toBe(0)
  })
})

describe('a key', () => {
  it('reaches no channel outside its grants, whether the channel exists or not', async () => {
    await using opened = await open()
    const answers = await Promise.all(
      [
        ['/direct/files/a', 'sk-none-0123456789abcdef'],
        ['/second/files/a', key],
        ['/absent/files/a', key],
      ].map(async ([path = '', secret = '']) => {
        const answer = await opened.ask(path, secret)
        const { error } = (await answer.json()) as { error: { message: string; code: string } }
        return [answer.status, error.code, error.message]
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]?.slice(0, 2)).toEqual([403, 'passthrough_not_permitted'])
    expect(opened.upstream.requests.length).toBe(0)
  })

  it('of a group reaches only channels that both grants allow', async () => {
    await using opened = await open()
    const grouped = 'sk-group-0123456789abcdef'
    expect((await opened.ask('/direct/files/a', grouped)).status).toBe(403)
    expect((await opened.ask('/second/files/a', grouped)).status).toBe(200)
  })

  it('that is invalid reaches no channel', async () => {
    await using opened = await open()
    expect((await opened.ask('/direct/files/a', 'sk-unknown-0123456789')).status).toBe(401)
  })
})

describe('no header of the caller', () => {
  it('reveals a credential, selects an account, or overrides method, path or host', async () => {
    await using opened = await open()
    await opened.send('POST /passthrough/direct/files/a?key=secret&access_token=t&limit=1&_method=DELETE', [
      `x-api-key: ${key}`,
      'cookie: session=1',
      'x-forwarded-for: 10.0.0.1',
      'x-forwarded-host: evil.example',
      'forwarded: for=10.0.0.1',
      'x-http-method-override: DELETE',
      'x-original-url: /v1/models',
      'openai-organization: org-other',
      'openai-project: proj-other',
      'x-goog-user-project: other',
      'x-amz-security-token: other',
      'x-headgate-strict: 1',
      'x-secret: hop',
      'keep-alive: 5',
      'te: trailers',
      'content-length: 0',
      'x-custom: goes-on',
    ])
    const [sent] = opened.upstream.requests
    expect(sent?.path).toBe('/v1/files/a?limit=1')
    const { host, 'user-agent': agent, ...headers } = sent?.headers ?? {}
    expect([host, agent]).toEqual([
      new URL(opened.upstream.origin).host,
      expect.stringMatching(/^headgate\//),
    ])
    expect(headers).toEqual({
      authorization: `Bearer ${upstreamKey}`,
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: expect.stringMatching(/keep-alive|close/),
      'content-length': '0',
      'x-custom': 'goes-on',
      'x-secret': 'hop',
    })
  })

  it('is forwarded if the caller lists it in the connection header', async () => {
    await using opened = await open()
    const client = await openRawClient(Number(new URL(opened.gateway.url).port))
    client.send(
      `GET /passthrough/direct/files/a HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\nx-hop: 1\r\nconnection: close, x-hop\r\n\r\n`,
    )
    await client.ended
    client.close()
    expect(opened.upstream.requests[0]?.headers['x-hop']).toBeUndefined()
  })

  it('splits one request into two', async () => {
    await using opened = await open()
    const smuggled = 'GET /passthrough/direct/models HTTP/1.1\r\nhost: a\r\n\r\n'
    const answer = await opened.send(
      'POST /passthrough/direct/files/a',
      ['content-length: 4', 'transfer-encoding: chunked'],
      `0\r\n\r\n${smuggled}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(opened.upstream.requests.length).toBe(0)
  })
})

it('of the provider’s headers only those of the content reach the caller, and no secret', async () => {
  await using opened = await open()
  const answer = await opened.send('GET /passthrough/direct/files/a')
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  for (const hidden of ['set-cookie', 'x-ratelimit-remaining', 'org-operators', 'x-leak', upstreamKey])
    expect(answer.toLowerCase()).not.toContain(hidden)
})
