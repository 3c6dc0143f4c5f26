import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer, type UpstreamHandler } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { upstreamError } from '../support/upstream-error.ts'

const goodKey = 'sk-good-0123456789'
const badKey = 'sk-refused-0123456789'

/** Refuses one key and serves any other. */
const refuseBadKey: UpstreamHandler = ({ headers }) =>
  headers.authorization === `Bearer ${badKey}`
    ? {
        status: 401,
        headers: { 'content-type': 'application/json' },
        chunks: [JSON.stringify({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } })],
      }
    : sseAnswer([sampleStreams.chat.bytes])

const channel = (origin: string, key: string) =>
  `channels: [{ name: a, provider: openai-compatible, base_url: "${origin}/v1", api_key: ${key}, models: [m], allow_private: true }]\n`

async function askOnce(gateway: { readonly url: string }): Promise<number> {
  return (await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))).status
}

/** The health that the answering process knows. Another one learns of a failure a moment later. */
async function healthOf(gateway: { readonly url: string }) {
  return (await createAskAdmin(gateway.url)('GET', '/health')).body
}

it('a refused credential stays out of use across a restart', async () => {
  await using upstream = await openScriptedUpstream(refuseBadKey)
  const folder = makeTemporaryFolder()
  for (const expected of [502, 502, 502]) {
    await using gateway = await startGateway(channel(upstream.origin, badKey), folder)
    expect(await askOnce(gateway)).toBe(expected)
    await expect
      .poll(() => healthOf(gateway))
      .toMatchObject({
        status: 'degraded',
        data: expect.arrayContaining([
          expect.objectContaining({
            scope: 'credential',
            credential: 'a#1',
            state: 'open',
            reason: 'refused',
          }),
        ]),
      })
  }
  expect(upstream.requests.length).toBe(1)
})

it('a refused credential is reported after a restart before any request', async () => {
  await using upstream = await openScriptedUpstream(refuseBadKey)
  const folder = makeTemporaryFolder()
  {
    await using gateway = await startGateway(channel(upstream.origin, badKey), folder)
    expect(await askOnce(gateway)).toBe(502)
    // One process stores the health for all, and may be the other one.
    const ofBoth = async () => [await healthOf(gateway), await healthOf(gateway)]
    await expect.poll(ofBoth).toMatchObject([{ status: 'degraded' }, { status: 'degraded' }])
  }
  await using gateway = await startGateway(channel(upstream.origin, badKey), folder)
  await expect.poll(() => healthOf(gateway)).toMatchObject({ status: 'degraded' })
})

it('a credential with another secret or address starts with a clean state', async () => {
  await using upstream = await openScriptedUpstream(refuseBadKey)
  await using elsewhere = await openScriptedUpstream(refuseBadKey)
  const folder = makeTemporaryFolder()
  {
    await using gateway = await startGateway(channel(upstream.origin, badKey), folder)
    await askOnce(gateway)
  }
  {
    await using gateway = await startGateway(channel(elsewhere.origin, badKey), folder)
    await askOnce(gateway)
    expect(elsewhere.requests.length).toBe(1)
  }
  await using gateway = await startGateway(channel(elsewhere.origin, goodKey), folder)
  expect(await askOnce(gateway)).toBe(200)
})

it('an operator who repaired a key need not wait', async () => {
  let isMended = false
  await using upstream = await openScriptedUpstream((request, index) =>
    isMended ? sseAnswer([sampleStreams.chat.bytes]) : refuseBadKey(request, index),
  )
  await using gateway = await startGateway(channel(upstream.origin, badKey))
  const admin = createAskAdmin(gateway.url)
  expect(await askOnce(gateway)).toBe(502)
  for (let turn = 0; turn < 2; turn += 1)
    await expect.poll(() => healthOf(gateway)).toMatchObject({ status: 'degraded' })
  isMended = true
  expect(await askOnce(gateway)).toBe(502)
  expect((await admin('POST', '/health/reset', { body: { channel: 'b' } })).status).toBe(404)
  expect(await admin('POST', '/health/reset', { body: { channel: 'a' } })).toMatchObject({
    status: 200,
    body: { status: 'healthy', data: [] },
  })
  await expect.poll(() => askOnce(gateway)).toBe(200)
  await expect
    .poll(() => healthOf(gateway))
    .toMatchObject({
      status: 'healthy',
      queue: { waiting: 0, size: 1_000 },
      channels: [{ name: 'a', calls_in_flight: 0, concurrency: null }],
    })
  expect((await admin('POST', '/health/reset', { body: { channel: 'a' }, token: 'wrong' })).status).toBe(401)
})

it('the health of a deleted channel is no longer reported', async () => {
  await using upstream = await openScriptedUpstream(refuseBadKey)
  await using gateway = await startGateway(
    'admin: { allow_private: true }\nchannels: [{ name: demo, provider: demo }]\n',
  )
  const admin = createAskAdmin(gateway.url)
  const body = {
    name: 'made',
    provider: 'openai-compatible',
    base_url: `${upstream.origin}/v1`,
    api_key: badKey,
    models: ['m'],
    allow_private: true,
  }
  await admin('POST', '/channels', { body })
  expect(await askOnce(gateway)).toBe(502)
  await expect.poll(() => healthOf(gateway)).toMatchObject({ status: 'degraded' })
  expect((await admin('DELETE', '/channels/made')).status).toBe(200)
  await expect
    .poll(() => healthOf(gateway))
    .toMatchObject({
      status: 'healthy',
      channels: [{ name: 'demo' }],
      data: [],
    })
})

it('a rate limit lasts as long as the provider says', async () => {
  const limited = upstreamError('chat', 429, { headers: { 'retry-after': '900' } })
  await using upstream = await openScriptedUpstream(() => limited)
  await using gateway = await startGateway(channel(upstream.origin, goodKey))
  expect(await askOnce(gateway)).toBe(429)
  const waitMs = async () => {
    const { text } = await createAskAdmin(gateway.url)('GET', '/health')
    return Number(/"reason":"rate-limited",.*?"wait_ms":(\d+)/.exec(text)?.[1])
  }
  await expect.poll(waitMs).toBeGreaterThan(800_000)
})

it('a caller gets at most a minute of a longer rate limit as its wait, from the provider or from the gateway', async () => {
  const limited = upstreamError('chat', 429, { headers: { 'retry-after': '900' } })
  await using upstream = await openScriptedUpstream(() => limited)
  await using gateway = await startGateway(channel(upstream.origin, goodKey))
  for (const _turn of ['asked for', 'kept to']) {
    const { headers } = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
    expect(headers['retry-after']).toBe('60')
    for (let look = 0; look < 2; look += 1)
      await expect.poll(() => healthOf(gateway)).toMatchObject({ status: 'degraded' })
  }
  expect(upstream.requests).toHaveLength(1)
})
