import { describe, expect, it } from 'vitest'
import {
  answerOfCase,
  htmlAnswer,
  jsonAnswer,
  openScriptedUpstream,
  splitBytes,
  sseAnswer,
} from './scripted-upstream.ts'

describe('openScriptedUpstream', () => {
  it('records each request and goes through its answers in order', async () => {
    await using upstream = await openScriptedUpstream([jsonAnswer({ n: 1 }), htmlAnswer(503)])
    const first = await fetch(`${upstream.origin}/v1/x?y=1`, {
      method: 'POST',
      body: 'hi',
      headers: { 'x-a': 'b' },
    })
    expect(await first.json()).toEqual({ n: 1 })
    expect((await fetch(upstream.origin)).status).toBe(503)
    const last = await fetch(upstream.origin)
    expect(await last.text()).toContain('nginx')
    const recorded = await upstream.request(0)
    expect([recorded.method, recorded.path, recorded.headers['x-a'], recorded.body.toString()]).toEqual([
      'POST',
      '/v1/x?y=1',
      'b',
      'hi',
    ])
    expect(recorded.abortedAtMs).toBeUndefined()
    expect(upstream.requests).toHaveLength(3)
  })

  it('continues only when the test allows it', async () => {
    const gate = Promise.withResolvers<void>()
    await using upstream = await openScriptedUpstream(sseAnswer(['data: a\n\n', gate.promise, 'data: b\n\n']))
    const response = await fetch(upstream.origin)
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: a\n\n')
    const next = reader?.read()
    gate.resolve()
    expect(Buffer.from((await next)?.value ?? []).toString()).toBe('data: b\n\n')
  })

  it('can truncate an answer by a reset and by a half-close', async () => {
    for (const ending of ['reset', 'half-close'] as const) {
      await using upstream = await openScriptedUpstream(sseAnswer(['data: a\n\n'], ending))
      await expect(fetch(upstream.origin).then((response) => response.text())).rejects.toThrow()
    }
  })

  it('can reset before any status and can remain silent', async () => {
    await using resetting = await openScriptedUpstream({ ending: 'reset' })
    await expect(fetch(resetting.origin)).rejects.toThrow()
    await using silent = await openScriptedUpstream({ ending: 'silence' })
    const leave = new AbortController()
    const answer = fetch(silent.origin, { signal: leave.signal })
    const request = await silent.request(0)
    leave.abort()
    await expect(answer).rejects.toThrow()
    await request.closed
    expect(request.abortedAtMs).toBeGreaterThan(0)
  })

  it('writes every byte of a recording, one at a time on request', async () => {
    const recording = {
      id: 'x',
      provider: 'p',
      api: 'openai.chat',
      features: [],
      request: null,
      response: { status: 201, headers: { 'content-length': '1', 'x-kept': 'yes' }, sse: 'data: é\n\n' },
    }
    await using upstream = await openScriptedUpstream(answerOfCase(recording, { splitBytes: 1 }))
    const response = await fetch(upstream.origin)
    expect([response.status, response.headers.get('x-kept')]).toEqual([201, 'yes'])
    expect(await response.text()).toBe('data: é\n\n')
    expect(splitBytes('abc', 2).map(String)).toEqual(['ab', 'c'])
  })
})
