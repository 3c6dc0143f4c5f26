import OpenAI, { APIError } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest'
import { personPassword } from '../../support/admin-browser.ts'
import { openModelUpstream } from '../../support/console/model-upstream.ts'
import type { ScriptedUpstream } from '../../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands, type SpokenLanguage } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import {
  type ConsoleInBrowser,
  openConsole,
  settle,
  takeScreenshot,
  type VisitedConsole,
} from '../support/open-console.ts'

interface Person extends VisitedConsole {
  readonly hands: Hands
}

/** Channels of the console may lead to this machine, as the upstream of the test does. */
const configuration = `
admin: { allow_private: true }
channels: [{ name: demo, provider: demo }]
`

describe.each([
  { width: 1280, language: 'en' },
  { width: 360, language: 'en' },
  { width: 1280, language: 'zh-CN' },
  { width: 360, language: 'zh-CN' },
] as const)('from the first link to the audit, on $width px in $language', ({ width, language }) => {
  let upstream: ScriptedUpstream
  let gateway: StartedGateway
  let inBrowser: ConsoleInBrowser
  let olga: Person
  let mia: Person
  let secret = ''
  let rotated = ''

  beforeAll(async () => {
    upstream = await openModelUpstream()
    gateway = await startGateway(configuration, undefined, {
      consoleBuild: buildConsole(),
    })
    inBrowser = await openConsole(gateway)
    olga = await enter(inBrowser, { width, language })
    mia = await enter(inBrowser, { width, language })
  })

  afterAll(async () => {
    await inBrowser?.[Symbol.asyncDispose]()
    await gateway?.[Symbol.asyncDispose]()
    await upstream?.close()
  })

  beforeEach(() => {
    onTestFailed(async () => {
      for (const [name, { page, faults }] of Object.entries({ olga, mia }))
        process.stderr.write(`${await takeScreenshot(page, `story-${name}`)} ${faults.found.join('\n')}\n`)
    })
  })

  it('the link of the first start makes the owner', async () => {
    await olga.open(`/link#${gateway.app.firstOwner?.secret}`)
    await judge(olga)
    await chooseNameAndPassword(olga, 'olga')
    await olga.hands.press('link.owner.submit')
    await expectPage(olga, 'nav.overview')
    await judge(olga)
  })

  it('the owner adds a channel, and is led to what is wrong with it first', async () => {
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
    await page.getByRole('dialog').getByText('allow_private').waitFor()
    await judge(olga)
    await hands.check('channels.allow_private')
    await hands.press('channels.add.submit')
    await expectDialog(olga, 'openai')
    await judge(olga)
    await hands.close()
  })

  it('the owner makes a group with a budget', async () => {
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

  it('the member makes a key, and an official SDK gets an answer with it', async () => {
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
    await hands.click(page.getByRole('table').getByRole('link').first())
    await page.getByRole('dialog').getByText('notebook').first().waitFor()
    await judge(olga)
    await hands.close()
    await hands.goTo('nav.overview')
    await hands.click(page.locator('main').getByText(hands.say('overview.by.key'), { exact: true }))
    await page.getByRole('button', { name: 'notebook' }).waitFor()
    await judge(olga)
  })

  it('the budget of the group refuses what would overshoot it', async () => {
    const refusal = await askUntilRefused(gateway, secret)
    expect(refusal.code).toBe('insufficient_quota')
    const { hands, page } = mia
    await hands.goTo('nav.requests')
    await hands.click(page.getByRole('table').getByRole('link').first())
    await page.getByRole('dialog').getByText('budget_exceeded').first().waitFor()
    await judge(mia)
    await hands.close()
  })

  it('the member rotates the key, and the secret before works beside the new one', async () => {
    const { hands, page } = mia
    await hands.goTo('nav.keys')
    await hands.click(page.getByRole('link', { name: 'notebook' }).first())
    await judge(mia)
    await hands.press('keys.rotate')
    await judge(mia)
    await hands.press('keys.rotate')
    rotated = await hands.readSecret()
    await hands.close()
    await hands.close()
    expect(rotated).not.toBe(secret)
    for (const each of [secret, rotated]) expect(await listModels(gateway, each)).toBe(200)
  })

  it('the owner raises the budget, and takes the change back', async () => {
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

  it('the audit has all of it by name', async () => {
    const { hands, page } = olga
    await hands.goTo('nav.audit')
    await judge(olga)
    const rows = await page.getByRole('table').getByRole('row').allInnerTexts()
    const acts = [
      ['olga', 'config.change'],
      ['olga', 'link.create'],
      ['mia', 'user.sign_in'],
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

  it('no page had an error or broke its policy', () => {
    expect([...olga.faults.found, ...mia.faults.found]).toEqual([])
  })
})

interface Entry {
  readonly width: number
  readonly language: SpokenLanguage
}

async function enter(inBrowser: ConsoleInBrowser, { width, language }: Entry): Promise<Person> {
  const visited = await inBrowser.visit({ width, language, height: 800 })
  return { ...visited, hands: new Hands(visited.page, language) }
}

async function judge({ page }: Person): Promise<void> {
  await settle(page)
  expect(await judgePage(page)).toEqual([])
}

async function chooseNameAndPassword({ page, hands }: Person, name: string): Promise<void> {
  await hands.fill('sign_in.name', name)
  await choosePassword({ page, hands })
}

async function choosePassword({ hands }: Pick<Person, 'page' | 'hands'>): Promise<void> {
  await hands.fill('link.password', personPassword)
  await hands.fill('link.again', personPassword)
}

async function expectPage({ page, hands }: Person, key: 'nav.overview'): Promise<void> {
  await page.getByRole('heading', { level: 1, name: hands.say(key), exact: true }).waitFor()
}

async function expectDialog({ page }: Person, name: string): Promise<void> {
  await page.getByRole('dialog', { name }).waitFor()
}

const question = {
  model: 'gpt-4o',
  max_tokens: 60,
  messages: [{ role: 'user', content: 'Why does it rain?' }],
} as const

async function ask({ url }: StartedGateway, apiKey: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  const { choices } = await client.chat.completions.create({ ...question, messages: [...question.messages] })
  return choices[0]?.message.content ?? ''
}

async function askUntilRefused(gateway: StartedGateway, apiKey: string): Promise<APIError> {
  for (let count = 0; count < 100; count += 1) {
    try {
      await ask(gateway, apiKey)
    } catch (error) {
      if (error instanceof APIError) return error
      throw error
    }
  }
  throw new Error('the budget refused nothing')
}

async function listModels({ url }: StartedGateway, apiKey: string): Promise<number> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  await response.body?.cancel()
  return response.status
}
