import type { Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { untilAsync } from '../../support/until.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { openConsole, settle } from '../support/open-console.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('the overlap that was chosen for one key is not offered for another one after a reload', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  for (const name of ['first', 'second']) await owner.ask('POST', '/keys', { name })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  const openRotation = async (name: string) => {
    await open('/keys')
    await page.getByRole('main').getByRole('link', { name, exact: true }).click()
    await settle(page)
    await hands.press('keys.rotate')
  }
  await openRotation('first')
  await hands.choose('keys.overlap', '0s')
  await page.reload()
  await openRotation('second')
  expect(await hands.field(hands.say('keys.overlap')).inputValue()).toBe('24h')
  await openRotation('first')
  expect(await hands.field(hands.say('keys.overlap')).inputValue()).toBe('0s')
})

it('a new secret is shown though its form was closed before the answer, and says so where it cannot be copied', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  await owner.ask('POST', '/keys', { name: 'ci' })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>()
  await page.route('**/admin/v1/keys/*/rotate', (route) => hold(route))
  await open('/keys')
  await page.getByRole('main').getByRole('link', { name: 'ci', exact: true }).click()
  await settle(page)
  await hands.press('keys.rotate')
  await hands.press('keys.rotate')
  const rotation = await held
  await hands.press('common.cancel')
  await page.getByRole('dialog', { name: 'Rotate' }).waitFor({ state: 'detached' })
  await rotation.continue()
  await page.locator('[data-secret]').waitFor()
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    document.execCommand = () => false
  })
  await page.getByRole('button', { name: hands.say('keys.copy') }).click()
  await page.getByText(hands.say('common.copy_failed')).waitFor()
})

it('a new secret is shown though the key itself was closed and another page opened before the answer', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  const made = await createAskAdmin(owned.gateway.url)('POST', '/keys', { body: { name: 'ci' } })
  expect(made.status, made.text).toBe(201)
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>()
  await page.route('**/admin/v1/keys/*/rotate', (route) => hold(route))
  await open('/keys')
  await page.getByRole('main').getByRole('link', { name: 'ci', exact: true }).click()
  await settle(page)
  await hands.press('keys.rotate')
  await hands.press('keys.rotate')
  const rotation = await held
  await hands.press('common.cancel')
  await page.getByRole('dialog', { name: 'Rotate' }).waitFor({ state: 'detached' })
  await hands.close()
  await page.getByRole('link', { name: hands.say('nav.models'), exact: true }).click()
  await settle(page)
  await rotation.continue()
  const secret = await hands.readSecret()
  const models = await fetch(`${owned.gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  expect(models.status).toBe(200)
  await hands.close()
  await page.locator('[data-secret]').waitFor({ state: 'detached' })
})

it('the secret of a rotated key is copied on a page that the browser denies its clipboard', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/keys')
  await hands.press('keys.create')
  await hands.fill('common.name', 'ci')
  await hands.press('keys.create')
  await hands.close()
  const link = page.getByRole('main').getByRole('link', { name: 'ci', exact: true })
  // The list may come from another process, which learns of the key a moment later.
  await untilAsync('the key is in the list', async () => {
    await open('/keys')
    await settle(page)
    return await link.isVisible()
  })
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await link.click()
  await settle(page)
  await hands.press('keys.rotate')
  await hands.press('keys.rotate')
  const secret = await hands.readSecret()
  await page.getByRole('button', { name: hands.say('keys.copy') }).click()
  await page.getByRole('button', { name: hands.say('common.copied') }).waitFor()
  await hands.close()
  await hands.close()
  const search = page.getByRole('main').locator('input').first()
  await search.press('ControlOrMeta+V')
  expect(await search.inputValue()).toBe(secret)
})
