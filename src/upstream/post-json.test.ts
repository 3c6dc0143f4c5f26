import { afterAll, expect, it } from 'vitest'
import { openScriptedUpstream } from '../../test/support/scripted-upstream.ts'
import { openUpstream } from './open-upstream.ts'
import { postJson } from './post-json.ts'
import type { Upstream } from './upstream.ts'

const upstream = openUpstream()
afterAll(() => upstream.close())

const post = (
  url: string,
  allowPrivate = true,
  signal = new AbortController().signal,
  calls: Upstream = upstream,
) =>
  postJson(
    calls,
    { url, headers: { 'x-a': 'b' }, body: '{"a":1}', connectTimeoutMs: 1_000, allowPrivate },
    signal,
  )

it('sends the body with the headers and the query, and returns the status', async () => {
  await using receiver = await openScriptedUpstream({ status: 202, chunks: ['ok'] })
  expect(await post(`${receiver.origin}/hook?token=1`)).toBe(202)
  const { path, body, headers } = await receiver.request(0)
  expect([path, body.toString(), headers['x-a'], headers['content-length']]).toEqual([
    '/hook?token=1',
    '{"a":1}',
    'b',
    '7',
  ])
})

it('does not connect to a private address unless allowed', async () => {
  await using receiver = await openScriptedUpstream({})
  await expect(post(receiver.origin, false)).rejects.toThrow('is not a public address')
  expect(receiver.requests.length).toBe(0)
})

it('follows no redirect', async () => {
  await using elsewhere = await openScriptedUpstream({})
  await using receiver = await openScriptedUpstream({ status: 307, headers: { location: elsewhere.origin } })
  expect(await post(receiver.origin)).toBe(307)
  expect(elsewhere.requests.length).toBe(0)
})

it('does not read an endless answer, and stops when its signal aborts', async () => {
  const chunk = Buffer.alloc(65_536)
  await using endless = await openScriptedUpstream({ chunks: [chunk, chunk], ending: 'hang' })
  expect(await post(endless.origin)).toBe(200)
  await (await endless.request(0)).closed
  await using silent = await openScriptedUpstream({ ending: 'silence' })
  const leaving = new AbortController()
  const answer = post(silent.origin, true, leaving.signal)
  const request = await silent.request(0)
  leaving.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
  await request.closed
})

it('returns the status of an answer whose body is cut off', async () => {
  await using receiver = await openScriptedUpstream({ chunks: ['a'], ending: 'reset' })
  expect(await post(receiver.origin)).toBe(200)
})

it('returns the status of an answer whose body stalls until its signal aborts', async () => {
  await using receiver = await openScriptedUpstream({ status: 202, chunks: ['a'], ending: 'hang' })
  const late = new AbortController()
  const leaving: Upstream = {
    close: () => upstream.close(),
    call: (request, listener) =>
      upstream.call(request, {
        onHead: (status, headers) => listener.onHead(status, headers),
        onData: () => late.abort(new Error('too late')),
        onEnd: () => listener.onEnd(),
        onFault: (fault) => listener.onFault(fault),
      }),
  }
  expect(await post(receiver.origin, true, late.signal, leaving)).toBe(202)
  await (await receiver.request(0)).closed
})
