import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import {
  htmlAnswer,
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedAnswer,
} from '../support/scripted-upstream.ts'
import { openSocket } from '../support/socket-client.ts'
import { startGateway } from '../support/start-gateway.ts'

const key = 'sk-faults-0123456789abcdef'
const error = (status: number) => ({
  ...jsonAnswer({ error: { message: 'no', type: 'server_error' } }, status),
  headers: { 'content-type': 'application/json', 'retry-after': '7' },
})
const cut: ScriptedAnswer = {
  headers: { 'content-type': 'text/event-stream' },
  chunks: ['data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n'],
  ending: 'reset',
}

async function open(script: ScriptedAnswer) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script))
  const gateway = cleanup.use(
    await startGateway(`keys: [{ name: ci, secret: ${key}, models: ["*"], passthrough: [c] }]
channels:
  - name: c
    provider: openai-compatible
    base_url: "${upstream.origin}/v1"
    api_key: sk-upstream-0123456789
    allow_private: true
    models: { m: x }
    prices: { m: { input: 1, output: 2 } }
    timeouts: { headers: 300ms, first_content: 300ms, total: 2s }
    passthrough: [{ path: /free/**, price: 0 }, { path: /chat/completions, price: usage }]
retry: { same_target: 0 }
`),
  )
  const opened = cleanup.move()
  return { upstream, gateway, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const paths = ['/free/a', '/chat/completions'] as const
/** The status that the caller of a pass-through gets; `broken` where the answer has begun. */
const relayed: readonly (readonly [string, ScriptedAnswer, number | 'broken'])[] = [
  ['a reset', { ending: 'reset' }, 502],
  ['silence', { ending: 'silence' }, 504],
  ['an answer that breaks off', cut, 'broken'],
  ['a refused key', error(401), 502],
  ['a rate limit', error(429), 429],
  ['a server error', error(500), 500],
  ['an overload', error(503), 503],
  ['a web page under 500', htmlAnswer(500), 500],
]

describe('a pass-through', () => {
  it.each(relayed.flatMap((fault) => paths.map((path) => [path, ...fault] as const)))(
    'to %s forwards %s, and makes one call',
    async (path, _name, script, expected) => {
      await using opened = await open(script)
      const answer = await fetch(`${opened.gateway.url}/passthrough/c${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'x', stream: true }),
      })
      const text = await answer.text().catch(() => undefined)
      expect(text === undefined ? 'broken' : answer.status).toBe(expected)
      if (expected === 429) expect(answer.headers.get('retry-after')).toBe('7')
      expect(opened.upstream.requests.length).toBe(1)
    },
  )
})

/** The code of the error event that ends a response over WebSocket. */
const told: readonly (readonly [string, ScriptedAnswer, string])[] = [
  ['a reset', { ending: 'reset' }, 'upstream_disconnected'],
  ['silence', { ending: 'silence' }, 'upstream_timeout'],
  ['an answer that breaks off', cut, 'upstream_disconnected'],
  ['a refused key', error(401), 'upstream_credential'],
  ['a rate limit', error(429), 'rate_limit_exceeded'],
  ['a server error', error(500), 'upstream_error'],
  ['an overload', error(503), 'upstream_overloaded'],
  ['a web page', htmlAnswer(200), 'upstream_bad_response'],
  [
    'an answer of another type',
    { headers: { 'content-type': 'video/mp4' }, chunks: ['x'] },
    'upstream_bad_response',
  ],
]

describe('a response over WebSocket', () => {
  it.each(told)('ends with an error after %s, and the connection stays open', async (_name, script, code) => {
    await using opened = await open(script)
    await using client = await openSocket(opened.gateway.url, { key })
    client.send({ type: 'response.create', model: 'm', input: 'Hi' })
    const end = () => client.events.find(({ type }) => type === 'error' || type === 'response.failed')
    await expect.poll(end).toBeDefined()
    const { error: own, response } = fieldsOf(end())
    expect(fieldsOf(own ?? fieldsOf(response)['error'])['code']).toBe(code)
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })
})
