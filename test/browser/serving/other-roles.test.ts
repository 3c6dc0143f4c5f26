import { afterAll, beforeAll, expect, it } from 'vitest'
import { addUser } from '../../support/admin-browser.ts'
import { judgePage } from '../support/judge-page.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\ngroups: { search: { models: ["*"] } }\n'
  owned = await openOwnedConsole(yaml)
  await addUser(owned.owner, owned.gateway, { name: 'vera', role: 'viewer' })
  await addUser(owned.owner, owned.gateway, { name: 'mia', role: 'member', groups: [{ group: 'search' }] })
  await addUser(owned.owner, owned.gateway, { name: 'nora', role: 'member' })
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

it('a member who follows a link to a page of operators reads so, and the gateway is asked for nothing of it', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'mia' })
  for (const path of ['/channels/demo', '/users', '/groups', '/health', '/nodes', '/audit', '/settings']) {
    await open(path)
    await page.getByRole('heading', { level: 1, name: 'This page is for other roles.' }).waitFor()
  }
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
})

it('a link with an open form shows no form to those who could not send it', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'vera' })
  const paths = ['/channels?add=true', '/models?add=true', '/users?invite=true', '/users?tab=limits&set=true']
  const makes = ['budget', 'grant', 'codes', 'redeem'].map((make) => `/budgets?make=${make}`)
  for (const path of [...paths, ...makes, '/groups?make=true', '/keys?make=true']) {
    await open(path)
    expect([path, await page.getByRole('dialog').count()]).toEqual([path, 0])
  }
  expect(faults.found).toEqual([])
})

it('a link to the redemption codes leads a member, who has none, to the budgets', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'mia' })
  await open('/budgets?tab=codes')
  await page.getByRole('tab', { name: 'Budgets', selected: true }).waitFor()
  await page.getByText('No budgets yet').waitFor()
  expect(faults.found).toEqual([])
})

it('the playground of a member without models says what is missing, in place of a button that cannot be pressed', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'nora' })
  await open('/playground')
  await page.getByText('A group gives its members models; ask an admin for a group.').waitFor()
  expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0)
  expect(faults.found).toEqual([])
})
