import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole } from '../support/open-console.ts'

it('the audit is filtered by an author as the page names it, in Chinese too', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await createAskAdmin(gateway.url)('POST', '/groups', { body: { name: 'search', models: ['*'] } })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga', language: 'zh-CN' })
  await open('/audit')
  const rows = page.getByRole('main').getByRole('row')
  await rows.filter({ hasText: '管理令牌' }).first().waitFor()
  const author = page.getByRole('combobox', { name: '操作者' })
  await author.fill('管理令牌')
  await rows.filter({ hasText: 'olga' }).first().waitFor({ state: 'detached' })
  await expect.poll(() => rows.filter({ hasText: '管理令牌' }).count()).toBeGreaterThan(0)
})
