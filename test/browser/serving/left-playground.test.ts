import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole } from '../support/open-console.ts'

it('a message that is typed just before its user goes to another page is there on the way back', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
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
