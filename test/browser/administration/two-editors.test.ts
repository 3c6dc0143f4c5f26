import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

async function create(path: string, body: object) {
  const made = await createAskAdmin(owned.gateway.url)('POST', path, { body })
  expect(made.status, made.text).toBe(201)
}

async function openAsOlga(path: string) {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open(path)
  return { page, hands: new Hands(page, 'en') }
}

it('a saved group keeps the limits that another user set after the form was opened', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/groups', { name: 'search', budgets: [{ limit_usd: 5, window: 'day' }], rate: { rpm: 60 } })
  const { hands } = await openAsOlga('/groups?group=search')
  await hands.press('groups.edit')
  const budgets = [{ limit_usd: 500, window: 'month' }]
  await admin('PATCH', '/groups/search', { body: { budgets, rate: { rpm: 7, tpm: 900 } } })
  await hands.fill('groups.multiplier', '1.5')
  await hands.press('groups.save')
  await expect
    .poll(async () => (await admin('GET', '/groups/search')).body)
    .toMatchObject({ multiplier: 1.5, budgets, rate: { rpm: 7, tpm: 900 } })
})

it('a group whose budget has no limit yet keeps all of its budgets when its price is changed', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  const budgets = [{ window: 'day' }, { limit_usd: 100, window: 'month' }]
  await create('/groups', { name: 'ads', budgets, rate: { rpm: 60 } })
  const { page, hands } = await openAsOlga('/groups?group=ads')
  await page.getByRole('dialog').getByText('$100.00').first().waitFor()
  await hands.press('groups.edit')
  await hands.fill('groups.multiplier', '1.5')
  await hands.press('groups.save')
  await expect
    .poll(async () => (await admin('GET', '/groups/ads')).body)
    .toMatchObject({ multiplier: 1.5, budgets, rate: { rpm: 60 } })
})

it('a saved budget keeps the limit that another user set after the form was opened', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/budgets', { name: 'all', scope: 'installation', limit_usd: 10, window: 'day' })
  const { hands } = await openAsOlga('/budgets?budget=all')
  await hands.press('common.edit')
  await hands.field(hands.say('budget.window')).waitFor()
  await admin('PATCH', '/budgets/all', { body: { limit_usd: 400 } })
  await hands.choose('budget.window', 'month')
  await hands.press('common.save')
  await expect
    .poll(async () => (await admin('GET', '/budgets/all')).body)
    .toMatchObject({ window: 'month', base_limit_usd: 400 })
})

it('what is typed into the form of a key survives a reload, and undoes no change that another user made', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/keys', { name: 'ci', models: ['demo-chat'] })
  const { page, hands } = await openAsOlga('/keys')
  await page.getByRole('link', { name: 'ci', exact: true }).click()
  await hands.press('common.edit')
  await hands.fill('common.name', 'ci-2')
  await admin('PATCH', '/keys/ci', { body: { models: ['demo-embed'] } })
  await page.reload()
  await hands.press('common.edit')
  expect(await hands.field(hands.say('common.name')).inputValue()).toBe('ci-2')
  await hands.press('common.save')
  await expect
    .poll(async () => (await admin('GET', '/keys/ci-2')).body)
    .toMatchObject({ name: 'ci-2', models: ['demo-embed'] })
})

it('a word that is typed into a list and not added yet survives a reload', async () => {
  await create('/keys', { name: 'listed', models: ['demo-chat'] })
  const { page, hands } = await openAsOlga('/keys')
  await page.getByRole('link', { name: 'listed', exact: true }).click()
  await hands.press('common.edit')
  await hands.field(hands.say('nav.models')).pressSequentially('demo-embed')
  await page.reload()
  await hands.press('common.edit')
  await page.getByRole('button', { name: hands.say('form.remove_word', { word: 'demo-embed' }) }).waitFor()
  await page.getByRole('button', { name: hands.say('form.remove_word', { word: 'demo-chat' }) }).waitFor()
})

it('a field that another user changed meanwhile is saved only by a second save, after the form said so', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/groups', { name: 'both', multiplier: 2, rate: { rpm: 60, tpm: 100 } })
  const { page, hands } = await openAsOlga('/groups?group=both')
  await hands.press('groups.edit')
  await hands.fill('groups.multiplier', '1.5')
  await hands.fill('rate.rpm', '5')
  await admin('PATCH', '/groups/both', { body: { multiplier: 3, rate: { tpm: 900 } } })
  await hands.press('groups.save')
  await page.getByRole('alert').getByText(hands.say('form.conflict')).waitFor()
  const multiplier = hands.field(hands.say('groups.multiplier'))
  expect(await multiplier.evaluate((input) => input === document.activeElement)).toBe(true)
  expect(await page.getByText(hands.say('form.conflict.field')).count()).toBe(1)
  expect((await admin('GET', '/groups/both')).body).toMatchObject({ multiplier: 3, rate: { rpm: 60 } })
  expect(await judgePage(page)).toEqual([])
  await hands.press('groups.save')
  await expect
    .poll(async () => (await admin('GET', '/groups/both')).body)
    .toMatchObject({ multiplier: 1.5, rate: { rpm: 5, tpm: 900 } })
})

it("the other user's value can be shown in the form, and is saved with the rest", async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/keys', { name: 'shared', models: ['demo-chat'] })
  const { page, hands } = await openAsOlga('/keys')
  await page.getByRole('link', { name: 'shared', exact: true }).click()
  await hands.press('common.edit')
  await hands.fill('common.name', 'shared-2')
  await hands.fillWords('nav.models', 'demo-other')
  await admin('PATCH', '/keys/shared', { body: { models: ['demo-embed'] } })
  await hands.press('common.save')
  await hands.press('form.conflict.show')
  await page.getByRole('dialog').getByText('demo-embed').first().waitFor()
  await hands.press('common.save')
  await expect
    .poll(async () => (await admin('GET', '/keys/shared-2')).body)
    .toMatchObject({ name: 'shared-2', models: ['demo-embed'] })
})

it('a change by another user between the last look and the save is not overwritten either', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/budgets', { name: 'close', scope: 'installation', limit_usd: 10, window: 'day' })
  const { page, hands } = await openAsOlga('/budgets?budget=close')
  await hands.press('common.edit')
  await hands.field(hands.say('budget.window')).waitFor()
  await hands.choose('budget.window', 'month')
  let isChanged = false
  await page.route('**/budgets/close', async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    if (!isChanged) await admin('PATCH', '/budgets/close', { body: { window: 'week' } })
    isChanged = true
    await route.continue()
  })
  await hands.press('common.save')
  await page.getByRole('alert').getByText(hands.say('form.conflict')).waitFor()
  expect((await admin('GET', '/budgets/close')).body).toMatchObject({ window: 'week' })
})

it('an expiry that another user set meanwhile is replaced only by a second save, and can be shown instead', async () => {
  const admin = createAskAdmin(owned.gateway.url)
  await create('/keys', { name: 'lasting', models: ['demo-chat'] })
  const expiry = async () => (await admin('GET', '/keys/lasting')).body
  const { page, hands } = await openAsOlga('/keys')
  await page.getByRole('link', { name: 'lasting', exact: true }).click()
  await hands.press('common.edit')
  await hands.choose('keys.life', '365d')
  const [theirs, later] = ['2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z']
  await admin('PATCH', '/keys/lasting', { body: { expires_at: theirs } })
  await hands.press('common.save')
  await hands.press('form.conflict.show')
  await hands.fill('common.name', 'lasting')
  expect(await hands.field(hands.say('keys.life')).locator('option:checked').textContent()).toBe(
    hands.say('keys.life.keep'),
  )
  expect(await expiry()).toMatchObject({ expires_at: theirs })
  await hands.choose('keys.life', 'never')
  await admin('PATCH', '/keys/lasting', { body: { expires_at: later } })
  await hands.press('common.save')
  await page.getByRole('alert').getByText(hands.say('form.conflict')).waitFor()
  expect(await expiry()).toMatchObject({ expires_at: later })
  await hands.press('common.save')
  await expect.poll(expiry).toMatchObject({ expires_at: null })
})
