import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { openConsole, settle } from '../support/open-console.ts'

it('a new group for a draft needs a free name, and a drafted one can be removed again', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/groups', { body: { name: 'search', models: ['*'], multiplier: 3 } })
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  faults.expect(/409/)
  const hands = new Hands(page, 'en')
  const draftGroup = async (name: string) => {
    await open('/groups')
    await hands.press('groups.create')
    await hands.fill('common.name', name)
    await hands.press('drafts.add')
  }
  const refused = page.getByText(/There is a group (named )?"?search2?"? already/).first()
  await draftGroup('search')
  await refused.waitFor()
  await hands.fill('common.name', 'search2')
  await hands.press('drafts.add')
  await page
    .getByRole('status')
    .getByText(/Added to the draft/)
    .waitFor()
  await draftGroup('search2')
  await refused.waitFor()
  await hands.press('common.cancel')
  await open('/drafts')
  await settle(page)
  await page.getByRole('button', { name: 'Remove search2 from the draft' }).click()
  expect(await judgePage(page)).toEqual([])
  await hands.press('drafts.remove.submit')
  await page.getByRole('status').getByText('search2 is no longer in the draft.').waitFor()
  await page.getByText('Nothing yet.').waitFor()
  expect((await admin('GET', '/groups/search')).body).toMatchObject({ multiplier: 3 })
  expect(faults.found).toEqual([])
})
