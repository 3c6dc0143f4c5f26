import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { testKey } from '../../support/start-gateway.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

const CHANNELS = 120
const MODELS_A_CHANNEL = 10
const GROUPS = 250
const KEYS = 205
const EXPIRING = 30

const write = (count: number, line: (number: string) => string) =>
  Array.from({ length: count }, (_, index) => line(String(index).padStart(4, '0')))

const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString()

/** More of everything than one page of the admin API or a picture has. */
const yaml = [
  'channels:',
  '  - { name: demo, provider: demo }',
  ...write(
    CHANNELS,
    (number) =>
      `  - { name: c${number}, provider: openai-compatible, base_url: "https://models.example.com/v1", api_key: sk-up-${number}-0123456789, models: [${write(MODELS_A_CHANNEL, (model) => `m${number}-${model}`).join(', ')}] }`,
  ),
  'models: { z-fast: { targets: [demo/demo-chat] } }',
  'groups:',
  ...write(GROUPS, (number) => `  g${number}: {}`),
  'keys:',
  `  - { name: test, secret: ${testKey}, models: ["*"] }`,
  ...write(
    KEYS,
    (number) =>
      `  - { name: k${number}, secret: sk-${number}-0123456789abcdef, models: ["*"]${Number(number) < EXPIRING ? `, expires_at: ${inTwoDays}` : ''} }`,
  ),
  '',
].join('\n')

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole(yaml)
  const made = await createAskAdmin(owned.gateway.url)('POST', '/keys', {
    body: { name: 'own', user: 'olga' },
  })
  if (made.status !== 201) throw new Error(made.text)
  for (const model of ['demo-chat', 'z-fast']) {
    const answer = await fetch(`${owned.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    if (answer.status !== 200) throw new Error(await answer.text())
    await answer.arrayBuffer()
  }
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

it('the settings of clients begin with a key of one’s own, and take any of more keys than are listed', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/connect')
  const key = page.getByLabel('Key', { exact: true })
  expect(await key.inputValue()).toBe('own')
  await key.fill('k0204')
  await key.press('Enter')
  await page.getByText('Waiting for a request of k0204').waitFor()
  await open('/connect?key=k0203')
  await page.getByText('Waiting for a request of k0203').waitFor()
  expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('k0203')
  expect(faults.found).toEqual([])
})

it('the graph has an alias that comes after a thousand other names', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/models?view=graph')
  await page.getByText('The same as a table').click()
  await page.getByRole('cell', { name: 'z-fast', exact: true }).waitFor()
  expect(faults.found).toEqual([])
})

it('the shares of channels are drawn only where all of them are listed', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/channels')
  await page.getByText('The picture is of 100 channels at most.').waitFor()
  await open('/channels?q=c000')
  await page.getByText('10%').first().waitFor()
  expect(faults.found).toEqual([])
})

it('a filter suggests every group, however many there are', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.locator('datalist option[value=g0249]').waitFor({ state: 'attached' })
  expect(faults.found).toEqual([])
})

it('many open alerts show the first ones and the number of the others', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/health')
  const alerts = page.getByRole('button', { name: 'Acknowledge', exact: true })
  await page.getByRole('button', { name: /^Show more of \d+ others$/ }).click()
  await expect.poll(() => alerts.count()).toBeGreaterThanOrEqual(EXPIRING)
  expect(faults.found).toEqual([])
})

it('a list of what costs most says that there is more', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await page.route('**/admin/v1/usage?**', async (route) => {
    const url = new URL(route.request().url())
    if (url.searchParams.has('limit')) url.searchParams.set('limit', '1')
    await route.continue({ url: url.href })
  })
  await open('/')
  await page.getByText('This is the one with the highest cost.').waitFor()
  await open('/keys?q=test')
  await page.getByRole('link', { name: 'test', exact: true }).click()
  await page.getByText('This is the model that cost most.').waitFor()
  expect(faults.found).toEqual([])
})
