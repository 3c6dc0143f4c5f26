import { expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { Hands } from '../support/hands.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('a double click on the switch of a channel, its reset or its test sends one request', async () => {
  await using owned = await openOwnedConsole()
  const made = await createAskAdmin(owned.gateway.url)('POST', '/channels', {
    body: { name: 'second', provider: 'demo' },
  })
  expect(made.status, made.text).toBe(201)
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname.replace('/admin/v1', ''))
  })
  await open('/channels/second')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Test/ }).dblclick()
  await dialog
    .getByText(/^Tested/)
    .first()
    .waitFor()
  await hands.button('channels.reset').dblclick()
  await page
    .getByText(hands.say('health.reset.done', { channel: 'second' }))
    .first()
    .waitFor()
  await hands.button('channels.disable').dblclick()
  await hands.button('channels.enable').waitFor()
  expect(sent).toEqual(['/channels/second/certifications', '/health/reset', '/channels/second/disable'])
})
