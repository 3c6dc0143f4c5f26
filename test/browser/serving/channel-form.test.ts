import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { openCheckedUpstream } from '../../support/certification/open-checked-upstream.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { openConsole } from '../support/open-console.ts'

async function bottomOf(shown: Locator): Promise<number> {
  const box = await shown.boundingBox()
  return (box?.y ?? 0) + (box?.height ?? 0)
}

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const KEY = 'sk-stored-0123456789zyxwvu'

it.each([{ language: 'en' }, { language: 'zh-CN' }] as const)(
  'a private address is refused with a message of the form, and accepted once its field allows it, in $language',
  async ({ language }) => {
    await using gateway = await startGateway(`admin: { allow_private: true }\n${demo}`, undefined, {
      consoleBuild: buildConsole(),
    })
    await makeOwner(gateway, 'olga')
    await using inBrowser = await openConsole(gateway)
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', language })
    faults.expect(/400/)
    const hands = new Hands(page, language)
    await open('/channels')
    await hands.press('channels.add')
    const dialog = page.getByRole('dialog')
    const providers = await dialog.locator('select[name=provider] option').allTextContents()
    expect(providers.slice(1)).toEqual(providers.slice(1).toSorted((one, other) => one.localeCompare(other)))
    await dialog.locator('select[name=provider]').selectOption('vllm')
    await dialog.locator('input[name=base_url]').fill('http://127.0.0.1:9/v1')
    await hands.press('channels.add.submit')
    const label = hands.say('channels.allow_private')
    await dialog.getByText(hands.say('channels.private.tick', { label })).waitFor()
    await hands.check('channels.allow_private')
    await hands.press('channels.add.submit')
    await page.getByRole('dialog', { name: 'vllm', exact: true }).waitFor()
    // The message about it is above the buttons of what is done next, where a form fills the screen.
    await page.setViewportSize({ width: 1280, height: 560 })
    await hands.press('channels.edit')
    const message = await bottomOf(page.locator('[data-toasts] > div').last())
    const save = await hands.button('channels.edit.submit').boundingBox()
    expect(message).toBeLessThan(save?.y ?? 0)
    expect(faults.found).toEqual([])
  },
  120_000,
)

it('a checkbox that would be refused is not offered: the form names the setting of the configuration file', async () => {
  await using gateway = await startGateway(demo, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  faults.expect(/400/)
  const hands = new Hands(page, 'en')
  await open('/channels')
  await hands.press('channels.add')
  const dialog = page.getByRole('dialog')
  await dialog.locator('select[name=provider]').selectOption('vllm')
  await dialog.getByText(hands.say('channels.allow_private.off')).waitFor()
  expect(await dialog.getByLabel(hands.say('channels.allow_private')).count()).toBe(0)
  await dialog.locator('input[name=base_url]').fill('http://127.0.0.1:9/v1')
  await hands.press('channels.add.submit')
  await dialog.getByText(hands.say('channels.private.off')).waitFor()
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
}, 120_000)

it('a change of a channel is tested with its stored key, before it is saved', async () => {
  await using upstream = await openCheckedUpstream('chat')
  await using gateway = await startGateway(`admin: { allow_private: true }\n${demo}`, undefined, {
    consoleBuild: buildConsole(),
  })
  await makeOwner(gateway, 'olga')
  const channel = {
    name: 'mine',
    provider: 'openai-compatible',
    base_url: `${upstream.origin}/v1`,
    allow_private: true,
    api_key: KEY,
    models: ['first'],
  }
  const made = await createAskAdmin(gateway.url)('POST', '/channels', { body: channel })
  expect(made.status, made.text).toBe(201)
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/channels/mine')
  await hands.press('channels.edit')
  await hands.fillWords('channels.models', 'second')
  const trial = page.getByRole('region', { name: hands.say('channels.trial.change') })
  await trial.getByLabel(hands.say('channels.trial.model')).selectOption('second')
  await trial.getByRole('button', { name: hands.say('channels.trial.start'), exact: true }).click()
  const outcome = trial.getByText(hands.say('channels.trial.works', { model: 'second' }))
  await outcome.waitFor()
  const save = hands.button('channels.edit.submit')
  await expect.poll(async () => (await bottomOf(outcome)) < (await bottomOf(save))).toBe(true)
  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`])
  expect(await judgePage(page)).toEqual([])
  const { text } = await createAskAdmin(gateway.url)('GET', '/channels/mine')
  expect(text).not.toContain('second')
  expect(faults.found).toEqual([])
}, 120_000)

it('a typed name stays when the suggestion for it arrives later', async () => {
  await using gateway = await startGateway(demo, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  await open('/channels')
  const { promise: isTyped, resolve: type } = Promise.withResolvers<undefined>()
  await page.route('**/admin/v1/channels?q=vllm**', async (route) => {
    await isTyped
    await route.continue()
  })
  await new Hands(page, 'en').press('channels.add')
  const dialog = page.getByRole('dialog')
  await dialog.locator('select[name=provider]').selectOption('vllm')
  await dialog.locator('input[name=name]').fill('mine')
  const isAnswered = page.waitForResponse(/channels\?q=vllm/)
  type(undefined)
  await (await isAnswered).finished()
  // The page has shown the answer by the second frame.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  expect(await dialog.locator('input[name=name]').inputValue()).toBe('mine')
}, 120_000)
