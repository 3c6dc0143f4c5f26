import { afterAll, beforeAll, expect, it } from 'vitest'
import { alertListSchema } from '../../../src/admin/alerts/alert-contract.ts'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedUpstream } from '../../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testKey } from '../../support/start-gateway.ts'
import { untilAsync } from '../../support/until.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole } from '../support/open-console.ts'

let gateway: StartedGateway
let refusing: ScriptedUpstream
let inBrowser: ConsoleInBrowser

const DAY_MS = 86_400_000

beforeAll(async () => {
  refusing = await openScriptedUpstream(({ path }) => ({
    ...jsonAnswer({ error: { message: 'no' } }),
    status: path === '/v1/embeddings' ? 404 : 401,
  }))
  const yaml = `channels:
  - { name: old, provider: openai-compatible, base_url: "${refusing.origin}/v1", allow_private: true, api_key: sk-up-0123456789, models: [m] }
`
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const admin = createAskAdmin(gateway.url)
  const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString()
  const made = await admin('POST', '/keys', { body: { name: 'soon', expires_at: expiresAt } })
  if (made.status !== 201) throw new Error(made.text)
  const send = async (path: string, body: object) => {
    const answer = await fetch(`${gateway.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await answer.text()
  }
  await send('embeddings', { model: 'm', input: 'Hello' })
  await send('chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
  await untilAsync('all alerts are open', async () => {
    const { data } = alertListSchema.parse((await admin('GET', '/alerts')).body)
    return (['credential', 'model', 'key-expiry'] as const).every((kind) =>
      data.some((alert) => alert.kind === kind),
    )
  })
  inBrowser = await openConsole(gateway)
}, 240_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
  await refusing?.close()
})

it.each(['en', 'zh-CN'] as const)(
  'a problem is described in the language of the console, %s',
  async (language) => {
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', language })
    const hands = new Hands(page, language)
    await open('/health')
    const credential = hands.say('name.credential', { number: '1' })
    const reason = hands.say('health.reason.refused')
    await page.getByText(hands.say('alerts.says.out', { target: `old · ${credential}`, reason })).waitFor()
    const missing = hands.say('health.reason_for', {
      reason: hands.say('health.reason.model-missing'),
      operations: hands.say('health.operation.embedding'),
    })
    const target = `old · m · ${credential}`
    await page.getByText(hands.say('alerts.says.out', { target, reason: missing })).waitFor()
    const [before = ''] = hands.say('alerts.says.key-expiry', { name: 'soon' }).split('{at}')
    await page.getByText(before).waitFor()
    expect(await page.getByText(/T\d\d:\d\d:\d\d/).count()).toBe(0)
    expect(await judgePage(page)).toEqual([])
    expect(faults.found).toEqual([])
  },
)
