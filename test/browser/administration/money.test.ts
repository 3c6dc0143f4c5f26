import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usageReportSchema } from '../../../src/admin/ledger/usage-contract.ts'
import { addUser, Browser as Person } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { type BusyGateway, openBusyGateway } from '../../support/console/open-busy-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { findBarriers } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, settle } from '../support/open-console.ts'

let busy: BusyGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  busy = await openBusyGateway({ days: 1, requestsADay: 40, consoleBuild: buildConsole() })
  inBrowser = await openConsole(busy.gateway)
  const owner = new Person(busy.gateway)
  await owner.signIn('olga')
  await addUser(owner, busy.gateway, {
    name: 'max',
    role: 'member',
    groups: [{ group: 'search', manager: true }],
  })
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await busy?.[Symbol.asyncDispose]()
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last()
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

describe('budgets in the console', () => {
  it('are added by a form that survives a reload, raised, reset and deleted', async () => {
    const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
    await open('/budgets')
    await button(page, 'Add a budget').click()
    await page.getByLabel('Name', { exact: true }).fill('experiments')
    await page.getByLabel('Limit in US dollars').fill('25')
    await page.reload()
    await page.getByText('This is what you typed before').waitFor()
    await expect.poll(() => page.getByLabel('Limit in US dollars').inputValue()).toBe('25')
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Add a budget' }).click()
    await page.getByText('Limit as defined').waitFor()
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain('of $25.00 a month')
    expect(await findBarriers(page)).toEqual([])
    await button(page, 'Raise').click()
    await page.getByLabel('Raise by').fill('10')
    await page.getByLabel('Reason').fill('a demonstration')
    await button(page, 'Raise').click()
    await page.getByText('Raises in force').waitFor()
    await expect
      .poll(() => page.getByRole('dialog').textContent())
      .toMatch(/of \$35\.00[\s\S]*a demonstration · olga/)
    await button(page, 'Edit').click()
    await page.getByLabel('How strictly it counts').selectOption('observe')
    await button(page, 'Save').click()
    await page.getByText('Budget experiments changed.').waitFor()
    await button(page, 'Reset').click()
    await button(page, 'Reset').click()
    await page.getByText('Budget experiments is reset.').waitFor()
    await button(page, 'Delete').click()
    await button(page, 'Delete').click()
    await page.getByText('Budget experiments deleted.').waitFor()
    await settle(page)
    await expect.poll(() => row(page, 'experiments').count()).toBe(0)
    expect(faults.found).toEqual([])
  })

  it('of the file are shown with the lines to change there', async () => {
    const { page, open } = await inBrowser.visit({ name: 'olga' })
    await open('/budgets')
    await page.getByRole('link', { name: 'everything' }).click()
    await page.getByText('Method:').waitFor()
    await button(page, 'Edit').click()
    await expect
      .poll(() => page.locator('pre').textContent())
      .toMatch(/budgets:\n {2}- name: everything\n[\s\S]*limit_usd: 200/)
  })

  it('of each value of a tag do not look as if they never reset', async () => {
    const { page, open } = await inBrowser.visit({ name: 'olga' })
    await open('/budgets')
    const texts = await row(page, 'each value its own').getByRole('cell').allTextContents()
    expect(texts).toContain('–')
    expect(texts).not.toContain('Never')
  })

  it('of each value of a tag show their limit, and the raises of it', async () => {
    const { page, open } = await inBrowser.visit({ name: 'olga' })
    await open('/budgets')
    await row(page, 'each value its own').getByRole('link').click()
    await page.getByRole('dialog').getByText('$20.00').waitFor()
    await button(page, 'Raise').click()
    await page.getByLabel('Raise by').fill('7')
    await page.getByLabel('Reason').fill('a launch')
    await button(page, 'Raise').click()
    await expect
      .poll(() => page.getByRole('dialog').textContent())
      .toMatch(/Raises in force[\s\S]*\+\$7\.00[\s\S]*a launch · olga/)
  })

  it('are listed beside credits and codes, which are shown once, redeemed and revoked', async () => {
    const { page, faults, open } = await inBrowser.visit({ name: 'adam' })
    await open('/budgets?tab=codes')
    await button(page, 'Make codes').click()
    await page.getByLabel('Credit of each code').fill('5')
    await page.getByLabel('How many').fill('2')
    await page.getByRole('dialog').getByRole('button', { name: 'Make codes' }).click()
    await page.getByText('2 codes made').waitFor()
    const [code = ''] = ((await page.locator('[data-secret]').textContent()) ?? '').split('\n')
    expect(code).toMatch(/^HG-/)
    await button(page, 'Close').click()
    await expect.poll(() => page.content()).not.toContain(code)
    await button(page, 'Redeem a code').click()
    await page.getByLabel('Code', { exact: true }).fill(code)
    await page.getByLabel('Name').fill('ci')
    await page.getByRole('dialog').getByRole('button', { name: 'Redeem a code' }).click()
    await page.getByText('Grants, newest first').waitFor()
    await expect.poll(() => page.getByRole('dialog').textContent()).toMatch(/\$5\.00[\s\S]*from a code/)
    await button(page, 'Close').click()
    await page.getByRole('tab', { name: 'Redemption codes' }).click()
    await button(page, /^Revoke HG/).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await button(page, /^Revoke HG/).click()
    await button(page, 'Revoke').click()
    await row(page, 'Revoked').waitFor()
    expect(faults.found).toEqual([])
  })
})

describe('usage in the console', () => {
  it('is reported by two dimensions in the URL, and exported as it is shown', async () => {
    const { page, faults, open } = await inBrowser.visit({ name: 'vera' })
    await open('/usage?by=model&and=key&span=7d')
    const shown = await page.getByRole('table').getByRole('row').count()
    // Without a span the report is of this month, which may have begun after the traffic.
    const since = new Date(Date.now() - 6 * 86_400_000).toISOString()
    const { body } = await createAskAdmin(busy.gateway.url)('GET', `/usage?by=model,key&since=${since}`)
    expect(shown).toBe(usageReportSchema.parse(body).data.length + 1)
    await button(page, 'Export').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /CSV/ }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines[0]).toMatch(/^model,key_id,key,requests,attempts,.*,cost_usd,charged_usd$/)
    expect(lines).toHaveLength(shown)
    await page.getByRole('link', { name: 'smart' }).first().click()
    await page.waitForURL(/model=smart/)
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    await expect.poll(() => page.getByRole('table').textContent()).not.toContain('gpt-4o-mini')
    expect(faults.found).toEqual([])
  })
})

describe('the view of a member', () => {
  it('has no page, tab or button for operators', async () => {
    const { page, faults, open } = await inBrowser.visit({ name: 'mia' })
    await open('/budgets')
    const links = await page.getByRole('navigation').getByRole('link').allTextContents()
    expect(links).toEqual([
      'Overview',
      'Requests',
      'Usage',
      'Budgets',
      'Keys',
      'Models',
      'Playground',
      'Connect',
    ])
    await expect.poll(() => page.getByRole('tab').allTextContents()).toEqual(['Budgets', 'Credits'])
    await expect.poll(() => page.getByRole('button', { name: 'Add a budget' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('table').textContent()).not.toContain('everything')
    await open('/usage')
    await expect.poll(() => page.getByLabel('Channel', { exact: true }).count()).toBe(0)
    expect(faults.found).toEqual([])
  })

  it('who manages a group shows the group with its members, budgets and keys', async () => {
    const { page, faults, open } = await inBrowser.visit({ name: 'max' })
    await open('/groups')
    await expect.poll(() => page.getByRole('link', { name: 'Groups' }).count()).toBe(1)
    await expect.poll(() => page.getByRole('button', { name: 'Add a group' }).count()).toBe(0)
    await page.getByRole('link', { name: 'search' }).click()
    await page.getByText('Keys that spent most in 30 days').waitFor()
    const sheet = page.getByRole('dialog')
    await sheet.getByText('mia').waitFor()
    await sheet.getByText('search-api').waitFor()
    await expect.poll(() => sheet.textContent()).toContain('$40.00 a month')
    await expect.poll(() => sheet.getByRole('button', { name: /delete|edit/i }).count()).toBe(0)
    expect(await findBarriers(page)).toEqual([])
    expect(faults.found).toEqual([])
  })
})
