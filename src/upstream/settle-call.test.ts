import { getEventListeners } from 'node:events'
import { afterAll, expect, it } from 'vitest'
import { openScriptedUpstream } from '../../test/support/scripted-upstream.ts'
import { openUpstream } from './open-upstream.ts'
import { type Settlement, settleCall } from './settle-call.ts'
import type { UpstreamListener, UpstreamRequest } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

const upstream = openUpstream()
afterAll(() => upstream.close())

/** Settles with the status once all of the answer is there. */
function listen(settlement: Settlement<number>): UpstreamListener {
  const seen = { status: 0 }
  return {
    onHead(status) {
      seen.status = status
    },
    onData: () => undefined,
    onEnd: () => settlement.resolve(seen.status),
    onFault: ({ message }) => settlement.reject(new Error(message)),
  }
}

function call(origin: string, signal: AbortSignal): Promise<number> {
  const request: UpstreamRequest = {
    method: 'GET',
    origin,
    pathAndQuery: '/',
    headers: {},
    body: emptyBody,
    connectTimeoutMs: 1_000,
    allowPrivate: true,
  }
  return settleCall(upstream, { request, signal, listen })
}

it('leaves no listener on the signal, however the call ends', async () => {
  const { signal } = new AbortController()
  await using good = await openScriptedUpstream({ chunks: ['ok'] })
  await using cut = await openScriptedUpstream({ chunks: ['a'], ending: 'reset' })
  const calls = [call(good.origin, signal), call(cut.origin, signal)]
  expect(getEventListeners(signal, 'abort')).toHaveLength(2)
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('ends the call with the reason of the signal', async () => {
  await using silent = await openScriptedUpstream({ ending: 'silence' })
  const leaving = new AbortController()
  const answer = call(silent.origin, leaving.signal)
  const request = await silent.request(0)
  leaving.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
  await request.closed
  expect(getEventListeners(leaving.signal, 'abort')).toEqual([])
})

it('makes no call if the signal is already aborted', async () => {
  await using receiver = await openScriptedUpstream({})
  await expect(call(receiver.origin, AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  expect(receiver.requests).toEqual([])
})
