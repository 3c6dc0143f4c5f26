import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { findCutCells } from '../support/judge-page.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
  const admin = createAskAdmin(owned.gateway.url)
  const { status, text } = await admin('POST', '/groups', { body: { name: 'search', models: ['*'] } })
  if (status !== 201) throw new Error(text)
}, 240_000)

afterAll(() => owned?.[Symbol.asyncDispose]())

const LATER_MS = 25 * 60_000

it.each(['/audit', '/settings?tab=versions'])(
  '%s says on a narrow screen when each change was made',
  async (path) => {
    const { page, open } = await owned.inBrowser.visit({ name: 'olga', width: 360, height: 760 })
    await page.clock.setFixedTime(Date.now() + LATER_MS)
    await open(path)
    await page.getByText('25 minutes ago').first().waitFor()
    expect(await findCutCells(page)).toEqual([])
    const beyond = await page.getByRole('table').evaluate((table) => {
      const { width: room = 0 } = table.parentElement?.getBoundingClientRect() ?? {}
      return table.getBoundingClientRect().width - room
    })
    expect(beyond).toBeLessThanOrEqual(0)
  },
)
