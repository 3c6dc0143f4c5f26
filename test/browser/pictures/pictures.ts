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

const narrow: Visit = { width: 360, height: 760 }

/** The pictures of the documentation, in its order. */
export const pictures: readonly Picture[] = [
  { name: 'sign-in', path: '/', visit: { name: undefined } },
  { name: 'overview', path: '/' },
  { name: 'requests', path: '/requests' },
  { name: 'request', path: '/requests', prepare: openFirstRow },
  { name: 'usage', path: '/usage' },
  { name: 'budgets', path: '/budgets' },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys', prepare: openFirstRow },
  { name: 'groups', path: '/groups' },
  { name: 'group', path: '/groups', prepare: openFirstRow },
  { name: 'users', path: '/users' },
  { name: 'user', path: '/users', prepare: openFirstRow },
  { name: 'channels', path: '/channels' },
  { name: 'channel', path: '/channels', prepare: openFirstRow },
  { name: 'models', path: '/models' },
  { name: 'model', path: '/models', prepare: openFirstRow },
  { name: 'health', path: '/health' },
  { name: 'connect', path: '/connect' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  { name: 'account', path: '/account' },
  { name: 'member-overview', path: '/', visit: { name: 'mia' } },
  { name: 'narrow-overview', path: '/', visit: narrow },
  { name: 'narrow-requests', path: '/requests', visit: narrow },
  { name: 'chinese-overview', path: '/', visit: { language: 'zh-CN' } },
]
