import { expect, it } from 'vitest'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('a message that is typed just before its user goes to another page is there on the way back', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  const message = page.getByLabel('Message to all models')
  await message.fill('Why')
  const keys = page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true })
  // One step for the page, so that no time is between the text and the link.
  await keys.evaluate((link: HTMLElement) => {
    document.execCommand('insertText', false, ' does it rain?')
    link.click()
  })
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
  await page.goBack()
  await expect.poll(() => message.inputValue()).toBe('Why does it rain?')
  await page.reload()
  await expect.poll(() => message.inputValue()).toBe('Why does it rain?')
})
