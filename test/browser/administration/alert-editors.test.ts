import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { alertRulesSchema, receiverListSchema } from '../../../src/admin/alerts/alert-contract.ts'
import { configViewSchema } from '../../../src/admin/config/config-contract.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { Hands } from '../support/hands.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

async function put(path: string, body: object) {
  const set = await createAskAdmin(owned.gateway.url)('PUT', `/alerts/${path}`, { body })
  expect(set.status, set.text).toBe(200)
}

async function findRule(name: string) {
  const { body } = await createAskAdmin(owned.gateway.url)('GET', '/alerts/rules')
  return alertRulesSchema.parse(body).written.find((rule) => rule.name === name)
}

async function findReceiver(name: string) {
  const { body } = await createAskAdmin(owned.gateway.url)('GET', '/alerts/receivers')
  return receiverListSchema.parse(body).data.find((receiver) => receiver.name === name)
}

async function openHealth() {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/health')
  const hands = new Hands(page, 'en')
  const edit = (title: string) =>
    page.getByRole('button', { name: `${hands.say('alerts.entry.edit')}: ${title}`, exact: true }).click()
  return { page, hands, edit }
}

it("another user's threshold of a rule is replaced only by a second save, after the form said so", async () => {
  await put('rules/slow', { kind: 'latency', above: '5s' })
  const { page, hands, edit } = await openHealth()
  await edit(`${hands.say('alerts.kind.latency')}: slow`)
  await hands.fill('settings.field.rule.above', '9s')
  await put('rules/slow', { kind: 'latency', above: '2s', severity: 'critical' })
  await hands.press('alerts.rule.save')
  await page.getByRole('alert').getByText(hands.say('form.conflict')).waitFor()
  expect(await findRule('slow')).toMatchObject({ above: '2s' })
  await hands.press('alerts.rule.save')
  await expect.poll(() => findRule('slow')).toMatchObject({ above: '9s', severity: 'critical' })
})

it('a receiver that another user limited meanwhile keeps that limit until the form has shown it', async () => {
  await put('receivers/ops', { type: 'slack', url: 'https://hooks.example.com/services/path' })
  const { page, hands, edit } = await openHealth()
  await edit('ops')
  await hands.choose('settings.field.receiver.severity', 'warning')
  const limited = { type: 'slack', url: 'https://hooks.example.com/services/path', severity: 'critical' }
  await put('receivers/ops', limited)
  await hands.press('alerts.receiver.save')
  await page.getByRole('alert').getByText(hands.say('form.conflict')).waitFor()
  expect(await findReceiver('ops')).toMatchObject({ severity: 'critical' })
})

it('an address of a receiver that another user changed meanwhile stays until the form has shown that', async () => {
  const urlOf = (path: string) => `https://hooks.example.com/services/${path}`
  await put('receivers/paths', { type: 'slack', url: urlOf('path-0001') })
  const readUrl = async () => {
    const { body } = await createAskAdmin(owned.gateway.url)('GET', '/config')
    const { alerts } = configViewSchema.parse(body).document
    const { receivers } = z.object({ receivers: z.array(z.looseObject({ name: z.string() })) }).parse(alerts)
    return receivers.find(({ name }) => name === 'paths')?.['url']
  }
  const { page, hands, edit } = await openHealth()
  await edit('paths')
  await hands.fill('settings.field.receiver.url', urlOf('path-0003'))
  await put('receivers/paths', { type: 'slack', url: urlOf('path-0002') })
  await hands.press('alerts.receiver.save')
  await page.getByRole('alert').getByText(hands.say('form.conflict')).waitFor()
  expect(await readUrl()).toBe('https://hooks.example.com/…0002')
  await hands.press('alerts.receiver.save')
  await expect.poll(readUrl).toBe('https://hooks.example.com/…0003')
})

it('a new rule under a name that another user gave meanwhile is refused at its name', async () => {
  const { page, hands } = await openHealth()
  await hands.press('alerts.rule.add')
  await hands.choose('alerts.rule.word', 'latency')
  await hands.fill('common.name', 'both')
  await hands.fill('settings.field.rule.above', '9s')
  await put('rules/both', { kind: 'error-rate', above: 3 })
  await hands.press('alerts.rule.add')
  const name = hands.field(hands.say('common.name'))
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  await page.getByRole('dialog').getByText('Choose another name').waitFor()
  expect(await findRule('both')).toMatchObject({ kind: 'error-rate', above: 3 })
})
