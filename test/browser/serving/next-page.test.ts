import { expect, it } from 'vitest'
import { Hands } from '../support/hands.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

const KEYS = 3
const PAGE_ROWS = 2
/** The keys, that of the test's own configuration, and the head of the table. */
const ROWS = KEYS + 2
const refused = {
  error: {
    message: 'Too many requests.',
    type: 'rate_limit_error',
    param: null,
    code: 'rate_limit_exceeded',
  },
}

it('a next page that the gateway refuses is asked for once, and shows why and how to ask again', async () => {
  await using owned = await openOwnedConsole()
  const { owner, inBrowser } = owned
  for (let number = 0; number < KEYS; number += 1) {
    const made = await owner.ask('POST', '/keys', { name: `key-${number}` })
    expect(made.status).toBe(201)
  }
  const { page, open, faults } = await inBrowser.visit({ name: 'olga' })
  faults.expect(/429/)
  let isRefusing = true
  let asked = 0
  await page.route('**/admin/v1/keys?**', async (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('limit', String(PAGE_ROWS))
    const isNext = url.searchParams.has('after')
    if (isNext) asked += 1
    if (isNext && isRefusing) await route.fulfill({ status: 429, json: refused })
    else await route.continue({ url: url.href })
  })
  await open('/keys')
  await page.getByRole('alert').getByText('Too many requests.').waitFor()
  isRefusing = false
  const before = asked
  await new Hands(page, 'en').press('common.retry')
  await page.getByRole('alert').waitFor({ state: 'detached' })
  const table = page.getByRole('table', { name: 'Keys', exact: true })
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(ROWS))
  expect(before).toBe(1)
  expect(asked).toBe(2)
  expect(faults.found).toEqual([])
})
