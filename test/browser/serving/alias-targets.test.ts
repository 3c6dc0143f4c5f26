import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { judgePage, showTheme } from '../support/judge-page.ts'
import { takeScreenshot } from '../support/open-console.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
  const channel = { name: 'openai', provider: 'openai-compatible', base_url: 'https://openai.example/v1' }
  const body = { ...channel, api_key: 'sk-upstream-0123456789wxyz', models: ['gpt-4o', 'gpt-4o-mini'] }
  const made = await createAskAdmin(owned.gateway.url)('POST', '/channels', { body })
  if (made.status !== 201) throw new Error(made.text)
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

it('a target is accepted as typed, even if it begins with the name of another, with its weight', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/models')
  await page.getByRole('button', { name: 'Add an alias' }).first().click()
  const dialog = page.getByRole('dialog')
  const targets = dialog.getByRole('combobox', { name: /^Targets/ })
  const chips = dialog.getByRole('button', { name: /^Remove / })
  const readChips = () => chips.evaluateAll((all) => all.map((each) => each.parentElement?.textContent))
  const expectChips = (...words: readonly string[]) => expect.poll(readChips).toEqual(words)
  await targets.pressSequentially('openai/gpt-4o-mini=90,')
  await expectChips('openai/gpt-4o-mini=90')
  await targets.pressSequentially('openai/gpt-4o=10')
  await expectChips('openai/gpt-4o-mini=90')
  await targets.press('Enter')
  await expectChips('openai/gpt-4o-mini=90', 'openai/gpt-4o=10')

  // A suggestion that is picked is a target at once; leaving the field adds what is typed.
  await targets.evaluate((input: HTMLInputElement) => {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
    set?.call(input, 'openai/gpt-4o')
    input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertReplacementText' }))
  })
  await expectChips('openai/gpt-4o-mini=90', 'openai/gpt-4o=10', 'openai/gpt-4o')
  await targets.press('Backspace')
  await targets.pressSequentially('openia/gpt-4o')
  await dialog.getByLabel('Public name').focus()
  await expectChips('openai/gpt-4o-mini=90', 'openai/gpt-4o=10', 'openia/gpt-4o')

  await dialog.getByText('No channel serves openia/gpt-4o.').waitFor()
  expect(await targets.getAttribute('aria-invalid')).toBe('true')
  expect(await judgePage(page)).toEqual([])
  await showTheme(page, 'light')
  await takeScreenshot(page, 'alias-targets')
  await dialog.getByRole('button', { name: 'Remove openia/gpt-4o' }).click()
  await dialog.getByText('No channel serves').waitFor({ state: 'detached' })

  await dialog.getByLabel('Public name').fill('smart')
  await dialog.getByRole('button', { name: 'Add the alias' }).click()
  await page.waitForURL(/\/models\/smart/)
  const { body } = await createAskAdmin(owned.gateway.url)('GET', '/config')
  expect(body).toMatchObject({
    document: {
      models: {
        smart: {
          targets: [
            { use: 'openai/gpt-4o-mini', weight: 90 },
            { use: 'openai/gpt-4o', weight: 10 },
          ],
        },
      },
    },
  })
  expect(faults.found).toEqual([])
})
