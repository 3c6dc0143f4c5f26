import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { findCutCells } from '../support/judge-page.ts'
import { openConsole } from '../support/open-console.ts'

const yaml = `channels: [{ name: demo, provider: demo }]
models:
  demo-chat: { price: { input: 1000000, output: 1000000 } }
  demo-small: { targets: [demo/demo-chat] }
keys: [{ name: ci, secret: sk-ci-0123456789abcdef, models: ["*"], budgets: [{ limit_usd: 987654.25, window: month, mode: observe }] }]
budgets:
  - { name: million, scope: installation, limit_usd: 8765432.1, window: month, mode: observe }
  - { name: nano, scope: installation, limit_usd: 0.000000001, window: total, mode: observe }
  - { name: usual, scope: installation, limit_usd: 999999.25, window: month, mode: observe }
`

it('no amount of a table is cut, whether it is a billionth of a dollar or eight million', async () => {
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ci-0123456789abcdef', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo-chat',
      messages: [{ role: 'user', content: 'rain '.repeat(150_000) }],
    }),
  })
  expect(answer.status).toBe(200)
  const admin = createAskAdmin(gateway.url)
  await expect
    .poll(async () => JSON.stringify((await admin('GET', '/usage')).body))
    .toMatch(/"cost_usd":\d{5}/)
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  for (const path of ['/budgets', '/usage', '/keys']) {
    await open(path)
    await page.getByRole('table').first().waitFor()
    const cut = await findCutCells(page)
    expect(cut.filter((text) => text.includes('$'))).toEqual([])
  }
})
