import { afterAll, beforeAll, expect, it } from 'vitest'
import { createdCodesSchema } from '../../../src/admin/credits/credit-contract.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { takeScreenshot } from '../support/open-console.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole(`channels: [{ name: demo, provider: demo }]
keys:
  - name: app/one
    secret: sk-app-0123456789abcdef
    end_user_budget: { limit_usd: 2, window: day }
  - name: team/end_user
    secret: sk-team-0123456789abcdef
    budgets: [{ limit_usd: 3, window: day }]
`)
}, 120_000)

afterAll(() => owned?.[Symbol.asyncDispose]())

const languages = ['en', 'zh-CN'] as const

it.each(languages)('a budget of end users names the key that defines it, in %s', async (language) => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', language })
  const hands = new Hands(page, language)
  await open(`/budgets?budget=${encodeURIComponent('key:app/one/end_user/day')}`)
  const key = hands.say('budgets.owner.key', { name: 'app/one' })
  await page.getByRole('dialog').getByText(key, { exact: true }).waitFor()
  const scope = hands.say('budgets.end_users', { name: 'app/one' })
  const title = hands.say('budgets.named', { scope, name: hands.say('budgets.window.day') })
  await page.getByRole('dialog', { name: title }).waitFor()
  await takeScreenshot(page, `budget-of-end-users-${language}`)
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
})

it.each(languages)(
  'a budget of a key whose name ends like end users has the name of the key, in %s',
  async (language) => {
    const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', language })
    const hands = new Hands(page, language)
    const scope = `${hands.say('budgets.scope.key')} team/end_user`
    const title = hands.say('budgets.named', { scope, name: hands.say('budgets.window.day') })
    await open('/budgets')
    await page.getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('dialog', { name: title, exact: true }).waitFor()
    expect(faults.found).toEqual([])
  },
)

it.each(languages)('a code without a reason, and its credit, show no reason in %s', async (language) => {
  const ask = createAskAdmin(owned.gateway.url)
  const create = async (reason: object) => {
    const { body } = await ask('POST', '/codes', { body: { amount_usd: 5, ...reason } })
    return createdCodesSchema.parse(body).data[0]?.code
  }
  await create({ reason: 'spring' })
  const code = await create({})
  expect((await ask('POST', '/codes/redeem', { body: { code, key: 'app/one' } })).status).toBe(200)
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', language })
  await open('/budgets?tab=codes')
  await page.getByText('spring').first().waitFor()
  await takeScreenshot(page, `codes-${language}`)
  expect(await page.getByRole('main').innerText()).not.toMatch(/redemption code(?!s)/)
  const hands = new Hands(page, language)
  await open(`/budgets?tab=credits&credit=${encodeURIComponent('key:app/one')}`)
  const sheet = page.getByRole('dialog')
  await sheet.getByText(hands.say('credits.from_code')).first().waitFor()
  await takeScreenshot(page, `credit-of-code-${language}`)
  expect(await sheet.innerText()).not.toMatch(/redemption code(?!s)/)
  expect(faults.found).toEqual([])
})
