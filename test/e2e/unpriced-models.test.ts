import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { testAdminToken } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

it('a listed model without a price is named at startup, in a metric and beside the keys that it is refused to', async () => {
  await using upstream = await openScriptedUpstream(() =>
    jsonAnswer({ object: 'list', data: [{ id: 'mine', object: 'model', created: 1, owned_by: 'us' }] }),
  )
  await using gateway = await startProcess(
    `keys: [{ name: ci, secret: sk-unpriced-0123456789, budgets: [{ limit_usd: 1, window: day }] }]
channels: [{ name: a, provider: openai-compatible, base_url: "${upstream.origin}/v1", models: "*", allow_private: true }]
`,
    {},
    { environment: { HEADGATE_ADMIN_TOKEN: testAdminToken } },
  )
  await until('the log names it', () =>
    gateway.output().includes('where a limit in money applies: mine to ci'),
  )
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(metrics).toContain('headgate_unpriced_models{model="mine"} 1')
  const admin = createAskAdmin(gateway.url)
  const body = { name: 'made', models: ['mine'], budgets: [{ limit_usd: 1, window: 'day' }] }
  expect((await admin('POST', '/keys', { body })).body).toMatchObject({
    warnings: ['it has a limit in money, so mine is refused to it: no price is known; give each a "price"'],
    warning_facts: [{ type: 'refused_for_price', models: ['mine'] }],
  })
  expect(gateway.errors()).not.toContain('price')
})
