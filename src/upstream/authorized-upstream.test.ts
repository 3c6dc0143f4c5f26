import { afterAll, expect, it } from 'vitest'
import { openScriptedUpstream, type ScriptedAnswer } from '../../test/support/scripted-upstream.ts'
import { createAuthorizedUpstream } from './authorized-upstream.ts'
import { openUpstream } from './open-upstream.ts'
import type { UpstreamRequest } from './upstream.ts'
import { jsonBody } from './upstream-body.ts'

const upstream = createAuthorizedUpstream(openUpstream())
afterAll(() => upstream.close())

/** The events of a call: its statuses, its words, and its end. */
async function call(origin: string, more: Partial<UpstreamRequest>) {
  const told: string[] = []
  const request: UpstreamRequest = {
    method: 'POST',
    origin,
    pathAndQuery: '/',
    headers: { 'x-a': 'b' },
    body: jsonBody({}),
    connectTimeoutMs: 1_000,
    allowPrivate: true,
    ...more,
  }
  await new Promise<void>((over) => {
    upstream.call(request, {
      onHead: (status) => told.push(`head ${status}`),
      onData: (chunk) => told.push(chunk.toString()),
      onEnd: () => over(void told.push('end')),
      onFault: ({ kind, message }) => over(void told.push(`${kind}: ${message}`)),
    })
  })
  return told
}

/** A provider that takes the last token alone that was given. */
function tokens(refused: readonly string[]) {
  let count = 0
  return {
    authorize: () => {
      count += 1
      return Promise.resolve({ authorization: `Bearer ${count}` })
    },
    answer: (authorization: string | undefined): ScriptedAnswer =>
      refused.includes(authorization ?? '') ? { status: 401, chunks: ['refused'] } : { chunks: ['taken'] },
  }
}

it('the authorization headers are sent with the other headers', async () => {
  await using provider = await openScriptedUpstream({ chunks: ['taken'] })
  expect(await call(provider.origin, tokens([]))).toEqual(['head 200', 'taken', 'end'])
  const { headers } = await provider.request(0)
  expect([headers['x-a'], headers.authorization]).toEqual(['b', 'Bearer 1'])
})

it('a refused token is reported, and the call is retried once with another token', async () => {
  const { authorize, answer } = tokens(['Bearer 1'])
  await using provider = await openScriptedUpstream(({ headers }) => answer(headers.authorization))
  const refused: unknown[] = []
  const told = await call(provider.origin, { authorize, onRefused: (headers) => refused.push(headers) })
  expect(told).toEqual(['head 200', 'taken', 'end'])
  expect(refused).toEqual([{ authorization: 'Bearer 1' }])
  expect(provider.requests).toHaveLength(2)
})

it('a second refusal is passed on as the answer', async () => {
  const { authorize, answer } = tokens(['Bearer 1', 'Bearer 2'])
  await using provider = await openScriptedUpstream(({ headers }) => answer(headers.authorization))
  const told = await call(provider.origin, { authorize, onRefused: () => undefined })
  expect(told).toEqual(['head 401', 'refused', 'end'])
})

it('a refusal is passed on at once if tokens are not cached', async () => {
  const { authorize, answer } = tokens(['Bearer 1'])
  await using provider = await openScriptedUpstream(({ headers }) => answer(headers.authorization))
  expect(await call(provider.origin, { authorize })).toEqual(['head 401', 'refused', 'end'])
})

it('a call that cannot be authorized is not made', async () => {
  await using provider = await openScriptedUpstream({})
  const authorize = () => Promise.reject(new Error('no key here'))
  expect(await call(provider.origin, { authorize })).toEqual(['unauthorized: no key here'])
  expect(provider.requests).toHaveLength(0)
})
