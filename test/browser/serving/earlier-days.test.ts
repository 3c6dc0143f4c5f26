import { expect, it } from 'vitest'
import { systemClock } from '../../../src/kit/time/clock.ts'
import { makeOwner } from '../../support/admin-browser.ts'
import { callModel } from '../../support/call-model.ts'
import { startGateway, testKey } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole } from '../support/open-console.ts'

/** A day whose month and number have two digits each, of a year that is over. */
const LONG_AGO_MS = Date.UTC(2024, 11, 28, 20, 48)

it('the time of a request of an earlier day is shown in full, in English and in Chinese', async () => {
  const behindMs = systemClock.nowMs() - LONG_AGO_MS
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() - behindMs }
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole(), clock })
  await makeOwner(gateway)
  await using inBrowser = await openConsole(gateway)
  await (await callModel(gateway, testKey)).text()
  for (const language of ['en', 'zh-CN'] as const) {
    const { page, open } = await inBrowser.visit({ name: 'olga', language })
    await open('/requests')
    const cell = page.locator('td > div', { has: page.locator('time') }).first()
    const beyond = await cell.evaluate((shown) => shown.scrollWidth - shown.clientWidth)
    expect(beyond, language).toBeLessThanOrEqual(0)
  }
})
