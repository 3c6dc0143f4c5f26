import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { totpStepAt, writeTotpCode } from '../../../src/access/people/totp.ts'
import { Browser, makeOwner, personPassword, secretOf } from '../../support/admin-browser.ts'
import { readBase32 } from '../../support/read-base32.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { type ConsoleInBrowser, openConsole } from '../support/open-console.ts'

const demo = `channels: [{ name: demo, provider: demo }]
groups: { search: { models: ["*"] } }
`
let gateway: StartedGateway
let inBrowser: ConsoleInBrowser
let owner: Browser

beforeAll(async () => {
  gateway = await startGateway(demo, undefined, { consoleBuild: buildConsole() })
  owner = await makeOwner(gateway, 'olga')
  inBrowser = await openConsole(gateway)
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

/** The secret of a link, and the user that accepts it without a browser. */
async function addPerson(name: string): Promise<Browser> {
  const invited = await owner.ask('POST', '/users/invite', {
    name,
    role: 'member',
    groups: [{ group: 'search' }],
  })
  const person = new Browser(gateway)
  await person.ask('POST', '/links/accept', { secret: secretOf(invited), password: personPassword })
  await person.signIn(name)
  return person
}

async function fillLink(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('The password again').fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
}

describe('an owner', () => {
  it('deletes a user with active keys', async () => {
    const mia = await addPerson('mia')
    expect((await mia.ask('POST', '/keys', { name: 'of-mia' })).status).toBe(201)
    const { page, open, faults } = await inBrowser.visit({ name: 'olga' })
    await open('/users')
    await page.getByRole('link', { name: 'mia', exact: true }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('mia is deleted', { exact: false }).first().waitFor()
    await expect.poll(async () => (await owner.ask('GET', '/users/mia')).status).toBe(404)
    const keyOfMia = async () => (await owner.ask('GET', '/keys/of-mia')).body
    await expect.poll(keyOfMia).toMatchObject({ status: 'disabled' })
    expect(faults.found).toEqual([])
  })

  it('invites another owner by name', async () => {
    const { page, open } = await inBrowser.visit({ name: 'olga' })
    await open('/users')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('owner')
    await page.getByRole('dialog').getByLabel('Name').fill('otto')
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.getByText('Pass this link on', { exact: false }).waitFor()
    const links = async () => (await owner.ask('GET', '/links')).body
    await expect.poll(links).toMatchObject({ data: [{ type: 'invitation', role: 'owner', name: 'otto' }] })
  })
})

describe('a suggested value', () => {
  it('is added when the user moves to the next field, which gets the focus', async () => {
    const { page, open } = await inBrowser.visit({ name: 'olga' })
    await open('/users?invite=true')
    const dialog = page.getByRole('dialog')
    await dialog.locator('option[value="search"]').waitFor({ state: 'attached' })
    await dialog.getByLabel('Groups').click()
    await page.keyboard.type('search')
    await dialog.getByLabel('Name').click()
    await page.keyboard.type('nora')
    await dialog.getByRole('button', { name: 'Make the link' }).click()
    await page.getByText('Pass this link on', { exact: false }).waitFor()
    const links = async () => (await owner.ask('GET', '/links')).body
    await expect.poll(links).toMatchObject({ data: [{ name: 'nora', groups: [{ group: 'search' }] }, {}] })
  })
})

describe('a new budget in a form', () => {
  it('accepts the amount that the user types next', async () => {
    const { page, open } = await inBrowser.visit({ name: 'olga' })
    await open('/groups?make=true')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add a budget' }).click()
    await page.keyboard.type('50')
    expect(await dialog.getByLabel('Limit in US dollars').inputValue()).toBe('50')
  })
})

describe('an invited person', () => {
  it('reads the name for signing in, and continues from there to a first key', async () => {
    const invited = await owner.ask('POST', '/users/invite', { name: 'vera', role: 'member', groups: [] })
    const { page } = await inBrowser.visit()
    await page.goto(`${gateway.url}/console/link#${secretOf(invited)}`)
    await page.getByText('You sign in as vera.').waitFor()
    await page.keyboard.type(personPassword)
    await page.getByLabel('The password again').fill(personPassword)
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('link', { name: 'Make a key' }).click()
    await page.getByRole('dialog', { name: 'Make a key' }).waitFor()
  })
})

describe('a user with a second factor', () => {
  it('continues from a link for a new password to the sign-in, which requires the code', async () => {
    const max = await addPerson('max')
    const { body } = await max.ask('POST', '/me/totp', {})
    const secret = readBase32(String((body as { readonly secret?: unknown }).secret))
    const code = writeTotpCode(secret, totpStepAt(Date.now()))
    expect((await max.ask('POST', '/me/totp/confirm', { code })).status).toBe(200)
    const link = secretOf(await owner.ask('POST', '/users/max/reset-link', {}))
    const { page } = await inBrowser.visit()
    await page.goto(`${gateway.url}/console/link#${link}`)
    await fillLink(page, 'another long password')
    await page.getByLabel('Name').waitFor()
    await page.waitForURL((url) => url.pathname === '/console/')
  })
})
