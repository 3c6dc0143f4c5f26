import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'

const forbidden = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  chunks: ['{"error":{"message":"You have insufficient permissions: api.model.read"}}'],
}

it('a model that may be in an unreadable list is 503 with a pointer to the reason, not 404', async () => {
  await using upstream = await openScriptedUpstream(({ path }) =>
    path.endsWith('/models') ? forbidden : sseAnswer([sampleStreams.chat.bytes]),
  )
  await using gateway = await startGateway(
    `channels: [{ name: a, provider: openai-compatible, base_url: "${upstream.origin}/v1", api_key: k, allow_private: true }]\n`,
  )
  const { status, headers, body } = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect([status, headers['x-should-retry']]).toEqual([503, undefined])
  expect(headers['retry-after']).toBeDefined()
  expect(JSON.parse(body.toString())).toMatchObject({
    error: { code: 'models_unknown', message: expect.stringContaining('headgate health --channels') },
  })
  expect((await createAskAdmin(gateway.url)('GET', '/health')).body).toMatchObject({
    status: 'degraded',
    channels: [
      {
        name: 'a',
        models_list: {
          known: false,
          error: expect.stringContaining('403'),
          fact: { code: 'answered_status', values: { status: 403 } },
        },
      },
    ],
  })
  const shown = await runHeadgate(['health', '--channels', '--data', gateway.dataFolder], {
    environment: { HEADGATE_ADMIN_TOKEN: testAdminToken },
  })
  expect(shown.output).toContain('The list of models of channel a cannot be read')
  expect(shown.output).toMatch(/a +no models/)
})
