import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { findBarriers, findOverflow } from '../support/judge-page.ts'
import { openConsole, settle } from '../support/open-console.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('long names of drafts and models are within a narrow screen, the end of a model’s name too', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const admin = createAskAdmin(gateway.url)
  const name = 'a-draft-with-a-long-name-that-a-program-has-made-0123456789'
  for (const each of [name, 'short']) await admin('POST', '/drafts', { body: { name: each } })
  const models = ['accounts/a-team/models/llama-v3p1-405b-instruct-long-2026-08-06']
  const channel = { name: 'vllm', provider: 'openai-compatible', base_url: 'https://vllm.example/v1', models }
  const made = await admin('POST', '/channels', { body: { ...channel, api_key: 'sk-0123456789abcdef' } })
  expect(made.status, made.text).toBe(201)
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga', width: 360, height: 740 })
  await open('/drafts')
  await page.getByText(name).first().waitFor()
  expect(await findOverflow(page)).toEqual([])
  await open('/channels/vllm')
  await settle(page)
  const shown = page
    .getByRole('dialog')
    .getByRole('listitem')
    .getByText(models[0] ?? '')
    .first()
  expect(await shown.evaluate((text) => text.scrollWidth <= text.clientWidth + 1)).toBe(true)
  expect(await findOverflow(page)).toEqual([])
})

it('the details of a key and of a model show long names in full on a narrow screen', async () => {
  const [group, model] = ['g'.repeat(64), 'm'.repeat(128)]
  const yaml = `channels: [{ name: demo, provider: demo, models: { ${model}: demo-chat } }]
groups: { ${group}: {} }
keys: [{ name: ci, secret: sk-ci-0123456789abcdef, models: [${model}], group: ${group} }]
`
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga', width: 360, height: 740 })
  await open('/keys')
  await page.getByRole('link', { name: 'ci', exact: true }).click()
  const dialog = page.getByRole('dialog')
  for (const text of [dialog.getByText(model).first(), dialog.getByText(group).last()])
    expect(await text.evaluate((shown) => shown.scrollWidth <= shown.clientWidth + 1)).toBe(true)
  await open(`/models/${model}`)
  await dialog.getByRole('table').waitFor()
  expect(await findBarriers(page)).toEqual([])
  const table = dialog.getByRole('table').first()
  expect(await table.evaluate((shown) => shown.scrollWidth <= document.body.clientWidth)).toBe(true)
})

it('a group whose name is too long is refused at the name, saved or drafted', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/groups')
  await hands.press('groups.create')
  const isWrong = () => hands.field(hands.say('common.name')).getAttribute('aria-invalid')
  for (const button of ['groups.create', 'drafts.add'] as const) {
    await hands.fill('common.name', 'g'.repeat(65))
    await expect.poll(isWrong).not.toBe('true')
    await hands.press(button)
    await expect.poll(isWrong).toBe('true')
    await page.getByRole('dialog').getByText(hands.say('problem.wrong_format.name')).waitFor()
    await hands.fill('common.name', 'search')
  }
})
