import type { Page } from 'playwright-core'
import { settle, type Visit } from '../support/open-console.ts'

export interface Picture {
  /** The file's name without theme and ending. */
  readonly name: string
  /** The page that is opened first. */
  readonly path: string
  /** Goes on from there as a person does. */
  readonly prepare?: (page: Page) => Promise<void>
  readonly visit?: Visit
}

const openFirstRow = async (page: Page) => {
  await page.getByRole('table').getByRole('link').first().click()
  await page.getByRole('dialog').waitFor()
  await settle(page)
}

const certifyDemo = async (page: Page) => {
  await page.getByRole('table').getByRole('link', { name: 'demo', exact: true }).click()
  const section = page.getByRole('region', { name: 'What works', exact: true })
  await section.getByRole('button', { name: /^Test/ }).click()
  await expectCount(page, /^Tested/, 2)
  await section.scrollIntoViewIfNeeded()
}

const tryDemo = async (page: Page) => {
  await page.getByRole('button', { name: 'Add a channel', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Provider').selectOption('demo')
  await dialog.getByRole('button', { name: 'Test', exact: true }).click()
  const found = dialog.getByText(/answered: the channel would work/)
  await found.waitFor()
  await found.scrollIntoViewIfNeeded()
}

const askTwoModels = async (page: Page) => {
  const models = page.getByRole('combobox', { name: 'Model', exact: true })
  await models.nth(0).fill('gpt-4o')
  await models.nth(1).fill('demo-chat')
  await page.getByLabel('Message to all models').fill('Why does it rain?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expectCount(page, /total .* · by /, 2)
}

const expectCount = (page: Page, text: RegExp, count: number) =>
  page
    .getByText(text)
    .nth(count - 1)
    .waitFor({ timeout: 60_000 })

const scrollTo = (heading: string) => async (page: Page) => {
  await page.getByRole('heading', { name: heading, exact: true }).evaluate((each) => {
    each.scrollIntoView({ block: 'center' })
  })
}

const seeForecasts = (page: Page) => expectCount(page, /^(About|Lasts|Runs out|Too little)/, 3)
const seeSpending = (page: Page) => expectCount(page, /^\$[\d.]+ \/ \$40\.00/, 1)

const narrow: Visit = { width: 360, height: 760 }

/** The pictures of the documentation, in its order. */
export const pictures: readonly Picture[] = [
  { name: 'sign-in', path: '/', visit: { name: undefined } },
  { name: 'overview', path: '/' },
  { name: 'requests', path: '/requests' },
  { name: 'request', path: '/requests', prepare: openFirstRow },
  { name: 'usage', path: '/usage' },
  { name: 'budgets', path: '/budgets', prepare: seeForecasts },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys', prepare: openFirstRow },
  { name: 'groups', path: '/groups', prepare: seeSpending },
  { name: 'group', path: '/groups', prepare: openFirstRow },
  { name: 'users', path: '/users' },
  { name: 'user', path: '/users', prepare: openFirstRow },
  { name: 'channels', path: '/channels' },
  { name: 'channel', path: '/channels', prepare: openFirstRow },
  { name: 'new-channel', path: '/channels', prepare: tryDemo },
  { name: 'certification', path: '/channels', prepare: certifyDemo },
  { name: 'models', path: '/models' },
  { name: 'model', path: '/models', prepare: openFirstRow },
  { name: 'health', path: '/health' },
  { name: 'alerts', path: '/health', prepare: scrollTo('Rules') },
  { name: 'playground', path: '/playground', prepare: askTwoModels },
  { name: 'connect', path: '/connect' },
  { name: 'nodes', path: '/nodes' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  { name: 'settings-in-force', path: '/settings?tab=settings' },
  { name: 'account', path: '/account' },
  { name: 'member-overview', path: '/', visit: { name: 'mia' } },
  { name: 'narrow-overview', path: '/', visit: narrow },
  { name: 'narrow-requests', path: '/requests', visit: narrow },
  { name: 'chinese-overview', path: '/', visit: { language: 'zh-CN' } },
]
