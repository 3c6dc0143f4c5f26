import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { openModelUpstream } from '../../support/console/model-upstream.ts'
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts'
import { verified } from '../../support/single-sign-on/open-scene.ts'
import {
  clientId,
  clientSecret,
  type StartedProvider,
  startProvider,
} from '../../support/single-sign-on/start-provider.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { type ConsoleInBrowser, openConsole, settle, takeScreenshot } from '../support/open-console.ts'
import { ask, askUntilRefused, listModels } from './call-as-program.ts'
import {
  chooseNameAndPassword,
  choosePassword,
  enter,
  expectDialog,
  expectPage,
  judge,
  type Person,
} from './person.ts'

/** Channels of the console may lead to this machine, as the upstream and the identity provider of the test do. */
const configure = ({ issuer }: StartedProvider) => `
admin: { allow_private: true }
channels: [{ name: demo, provider: demo }]
sign_in:
  oidc:
    issuer: "${issuer}"
    client_id: ${clientId}
    client_secret: "${clientSecret}"
    allow_private: true
    domains: [example.com]
    label: Company
    default_role: member
`

describe.each([
  { width: 1280, language: 'en' },
  { width: 360, language: 'en' },
  { width: 1280, language: 'zh-CN' },
  { width: 360, language: 'zh-CN' },
] as const)('from the first link to the audit, on $width px in $language', ({ width, language }) => {
  let upstream: ScriptedUpstream
  let gateway: StartedGateway
  let provider: StartedProvider
  let inBrowser: ConsoleInBrowser
  let olga: Person
  let mia: Person
  let anna: Person
  let secret = ''
  let rotated = ''

  beforeAll(async () => {
    upstream = await openModelUpstream()
    provider = await startProvider()
    provider.accounts.set('anna', { claims: verified('anna@example.com') })
    provider.signInAs = 'anna'
    gateway = await startGateway(configure(provider), undefined, { consoleBuild: buildConsole() })
    provider.register(gateway)
    inBrowser = await openConsole(gateway)
    olga = await enter(inBrowser, { width, language })
    mia = await enter(inBrowser, { width, language })
    anna = await enter(inBrowser, { width, language })
  })

  afterAll(async () => {
    await inBrowser?.[Symbol.asyncDispose]()
    await gateway?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
    await upstream?.close()
  })

  beforeEach(() => {
    onTestFailed(async () => {
      for (const [name, { page, faults }] of Object.entries({ olga, mia, anna }))
        process.stderr.write(`${await takeScreenshot(page, `story-${name}`)} ${faults.found.join('\n')}\n`)
    })
  })

  it('the link of the first start creates the owner', async () => {
    await olga.open(`/link#${gateway.firstOwnerSecret}`)
    await judge(olga)
    await chooseNameAndPassword(olga, 'olga')
    await olga.hands.press('link.owner.submit')
    await expectPage(olga, 'nav.overview')
    await judge(olga)
  })

  it('the owner adds a channel, after the form shows what is wrong with it', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.channels')
    await judge(olga)
    await hands.press('channels.add')
    await judge(olga)
    await hands.choose('channels.provider', 'openai')
    await hands.fill('channels.key', 'sk-upstream-0123456789')
    await hands.unfold('channels.more')
    await hands.fill('channels.address', `${upstream.origin}/v1`)
    await judge(olga)
    olga.faults.expect(/400 \(Bad Request\).*admin\/v1\/channels/)
    await hands.press('channels.add.submit')
    const label = hands.say('channels.allow_private')
    await page.getByRole('dialog').getByText(hands.say('channels.private.tick', { label })).waitFor()
    await judge(olga)
    await hands.check('channels.allow_private')
    await hands.press('channels.trial.start')
    await page
      .getByRole('dialog')
      .getByText(hands.say('channels.trial.listed', { count: '1' }))
      .waitFor()
    await hands.choose('channels.trial.model', 'gpt-4o')
    await hands.press('channels.trial.start')
    await page
      .getByRole('dialog')
      .getByText(hands.say('channels.trial.works', { model: 'gpt-4o' }))
      .waitFor()
    await judge(olga)
    await hands.press('channels.add.submit')
    await expectDialog(olga, 'openai')
    await judge(olga)
    await hands.close()
  })

  it('the owner certifies the channel, and sees by badges what works', async () => {
    const { hands, page } = olga
    await hands.click(page.getByRole('link', { name: 'openai', exact: true }).first())
    await expectDialog(olga, 'openai')
    const section = page.getByRole('region', { name: hands.say('certification.title'), exact: true })
    await hands.click(
      section.getByRole('button', { name: hands.say('certification.start', { count: '1' }), exact: true }),
    )
    const tested = section.getByText(new RegExp(`^${hands.say('certification.state.done')}`))
    await tested.first().waitFor({ timeout: 60_000 })
    const badges = section.getByRole('list', { name: hands.say('certification.row', { model: 'gpt-4o' }) })
    const [chat, stream, tools] = await badges.getByRole('listitem').allInnerTexts()
    expect(chat).toContain(hands.say('certification.outcome.works'))
    expect(stream).toContain(hands.say('certification.check.stream'))
    expect(tools).toContain(hands.say('certification.outcome.does_not_work'))
    await judge(olga)
    await hands.close()
    await judge(olga)
  })

  it('the owner creates a group with a budget', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.groups')
    await judge(olga)
    await hands.press('groups.create')
    await hands.fill('common.name', 'research')
    await hands.press('budget.add')
    await hands.fill('budget.limit', '0.01')
    await hands.choose('budget.window', 'day')
    await judge(olga)
    await hands.press('groups.create')
    await hands.click(page.getByRole('link', { name: 'research' }).first())
    await expectDialog(olga, 'research')
    await judge(olga)
    await hands.close()
  })

  it('the owner invites a member, who accepts and signs in', async () => {
    const { hands } = olga
    await hands.goTo('nav.users')
    await judge(olga)
    await hands.press('users.invite')
    await hands.fill('common.name', 'mia')
    await hands.fillWords('account.groups', 'research')
    await judge(olga)
    await hands.press('users.invite.submit')
    const link = await hands.readSecret()
    await judge(olga)
    await hands.close()

    await mia.page.goto(link)
    await settle(mia.page)
    await judge(mia)
    await choosePassword(mia)
    await mia.hands.press('link.invitation.submit')
    await expectPage(mia, 'nav.overview')
    await judge(mia)
  })

  it('a person of the company signs in through the identity provider', async () => {
    anna.faults.expect(/401/)
    await anna.open('/')
    await judge(anna)
    const { hands, page } = anna
    const button = hands.say('sso.continue', { label: 'Company' })
    await hands.click(page.getByRole('button', { name: button, exact: true }))
    await expectPage(anna, 'nav.overview')
    expect(page.url()).not.toMatch(/code=|state=/)
    await judge(anna)
    await olga.open('/users')
    await olga.page.getByRole('link', { name: 'anna@example.com' }).first().waitFor()
    await judge(olga)
  })

  it('the member creates a key, and an official SDK gets an answer with it', async () => {
    const { hands } = mia
    await hands.goTo('nav.keys')
    await judge(mia)
    await hands.press('keys.create')
    await hands.fill('common.name', 'notebook')
    await judge(mia)
    await hands.press('keys.create')
    secret = await hands.readSecret()
    await judge(mia)
    await hands.close()
    const answer = await ask(gateway, secret)
    expect(answer).toBe('Rain is water that falls from clouds.')
  })

  it('the owner sees the call live among the requests, and in the overview', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.requests')
    await page
      .getByRole('link')
      .filter({ hasText: /\d\d:\d\d/ })
      .first()
      .waitFor()
    await hands.press('requests.live')
    const rows = page.getByRole('table').getByRole('row')
    const before = await rows.count()
    await ask(gateway, secret)
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBeGreaterThan(before)
    await judge(olga)
    await hands.press('requests.live.on')
    await hands.button('requests.live').waitFor()
    expect(await rows.count()).toBeGreaterThan(before)
    await hands.click(page.getByRole('table').getByRole('link').first())
    await page.getByRole('dialog').getByText('notebook').first().waitFor()
    await judge(olga)
    await hands.close()
    await hands.goTo('nav.overview')
    await hands.click(page.locator('main').getByText(hands.say('overview.by.key'), { exact: true }))
    await page.getByRole('button', { name: 'notebook' }).waitFor()
    await judge(olga)
  })

  it('the playground answers side by side', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.playground')
    const fields = page.getByLabel(hands.say('playground.model'), { exact: true })
    const asked = { 'gpt-4o': 'openai', 'demo-chat': 'demo' }
    for (const [index, model] of Object.keys(asked).entries()) await fields.nth(index).fill(model)
    await hands.fill('playground.message', 'Why does it rain?')
    await hands.press('playground.send')
    for (const [model, channel] of Object.entries(asked)) {
      const name = hands.say('playground.answers', { model })
      const answers = page.getByRole('region', { name, exact: true })
      await answers.getByText(hands.say('playground.by', { channel })).waitFor()
    }
    await judge(olga)
  })

  it('the budget of the group refuses a request that would overspend it', async () => {
    const refusal = await askUntilRefused(gateway, secret)
    expect(refusal.code).toBe('insufficient_quota')
    // Rows of the log are written behind their answers, and in any order by several processes.
    const readNewest = async () => (await createAskAdmin(gateway.url)('GET', '/requests?limit=20')).text
    await expect.poll(readNewest, { timeout: 10_000 }).toContain('budget_exceeded')
    const { hands, page } = mia
    await hands.goTo('nav.requests')
    const refused = page.getByRole('row').filter({ has: page.getByTitle('budget_exceeded') })
    await hands.click(refused.getByRole('link').first())
    await page.getByRole('dialog').getByText('budget_exceeded').first().waitFor()
    await judge(mia)
    await hands.close()
  })

  it('the member rotates the key, and the previous secret works beside the new one', async () => {
    const { hands, page } = mia
    await hands.goTo('nav.keys')
    await hands.click(page.getByRole('link', { name: 'notebook' }).first())
    // A page that opens while it is judged has neither the old nor the new parts.
    await hands.button('keys.rotate').waitFor()
    await judge(mia)
    await hands.press('keys.rotate')
    await judge(mia)
    await hands.press('keys.rotate')
    rotated = await hands.readSecret()
    await hands.close()
    await hands.close()
    expect(rotated).not.toBe(secret)
    for (const each of [secret, rotated]) expect(await listModels(gateway, each)).toContain('gpt-4o')
  })

  it('the owner raises the budget, and undoes the change', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.groups')
    await hands.click(page.getByRole('link', { name: 'research' }).first())
    await hands.press('groups.edit')
    await hands.fill('budget.limit', '500')
    await judge(olga)
    await hands.press('groups.save')
    await page.getByRole('dialog').getByText('$500.00').first().waitFor()
    await hands.close()
    await hands.goTo('nav.settings')
    await hands.click(page.getByRole('tab', { name: hands.say('settings.versions'), exact: true }))
    await settle(page)
    await judge(olga)
    await hands.press('settings.undo')
    await judge(olga)
    await hands.press('settings.undo')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await hands.goTo('nav.groups')
    await hands.click(page.getByRole('link', { name: 'research' }).first())
    await page.getByRole('dialog').getByText('$0.01').first().waitFor()
    await hands.close()
  })

  it('the owner drafts a change, reads its effects in words, applies it and undoes it', async () => {
    const { hands, page } = olga
    await hands.click(page.getByRole('link', { name: 'research' }).first())
    await hands.press('groups.edit')
    await hands.fillWords('nav.models', 'demo-chat')
    await hands.press('drafts.add')
    const bar = page.getByRole('region', { name: hands.say('drafts.bar'), exact: true })
    await hands.button('groups.edit').waitFor()
    await hands.close()
    await judge(olga)
    expect(await listModels(gateway, rotated)).toContain('gpt-4o')
    await hands.click(bar.getByRole('link', { name: hands.say('drafts.review'), exact: true }))
    const effects = page.getByRole('list', { name: hands.say('effect.title'), exact: true })
    await effects.getByText('notebook').first().waitFor()
    expect(await effects.getByText(/notebook/).allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('gpt-4o')]),
    )
    await judge(olga)
    await hands.press('drafts.apply')
    await judge(olga)
    await hands.press('drafts.apply')
    const undo = { name: hands.say('drafts.undo'), exact: true }
    await page.getByRole('status').getByRole('button', undo).waitFor()
    expect(await listModels(gateway, rotated)).toEqual(['demo-chat'])
    await hands.click(page.getByRole('status').getByRole('button', undo))
    await expect.poll(() => listModels(gateway, rotated), { timeout: 10_000 }).toContain('gpt-4o')
    await judge(olga)
  })

  it('the audit log has all changes by name', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.audit')
    await judge(olga)
    const rows = await page.getByRole('table').getByRole('row').allInnerTexts()
    const acts = [
      ['olga', 'config.change'],
      ['olga', 'link.create'],
      ['mia', 'user.sign_in'],
      ['anna@example.com', 'user.sign_in'],
      ['mia', 'key.create'],
      ['mia', 'key.rotate'],
      ['olga', 'config.undo'],
    ] as const
    for (const [name, action] of acts) {
      const text = hands.say(`audit.action.${action}`)
      expect(rows.filter((row) => row.includes(name) && row.includes(text))).not.toEqual([])
    }
    await hands.click(page.getByRole('table').getByRole('link').first())
    await page.getByRole('dialog').waitFor()
    await judge(olga)
    await hands.close()
  })

  it('no page had an error or violated its content security policy', () => {
    expect([olga, mia, anna].flatMap(({ faults }) => faults.found)).toEqual([])
  })
})
