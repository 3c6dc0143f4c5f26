import { expect, it } from 'vitest'
import { requestDetailSchema, requestListSchema } from '../../src/admin/requests/request-contract.ts'
import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'

/** Throws where the bytes of an answer are read, and nowhere else. */
const clock: Clock = {
  ...systemClock,
  monotonicMs() {
    const planted = new Error('planted')
    if (/onData .*run-attempt/.test(planted.stack ?? '')) throw planted
    return systemClock.monotonicMs()
  },
}

it('an exception in a reader of an answer ends that request, and its row has the stack', async () => {
  await using upstream = await openScriptedUpstream(() => jsonAnswer({ id: 'c' }))
  const yaml = channelYaml({ format: 'chat', origin: upstream.origin, models: ['m'] })
  await using gateway = await startGateway(`${yaml}retry: { attempts: 1 }`, undefined, { clock })
  const answer = await ask(
    { url: gateway.url, format: 'chat' },
    { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  )
  expect(answer.status).toBe(502)
  const admin = createAskAdmin(gateway.url)
  const list = requestListSchema.parse((await admin('GET', '/requests')).body)
  const row = requestDetailSchema.parse((await admin('GET', `/requests/${list.data[0]?.request_id}`)).body)
  expect(row).toMatchObject({ status: 502, error: 'upstream_bad_response' })
  expect(row.attempts[0]?.cause).toMatch(/^unreadable: Error: planted\n +at .*\n +at .*onData/)
})
