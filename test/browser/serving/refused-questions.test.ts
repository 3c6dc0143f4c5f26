import { expect, it } from 'vitest'
import { jsonAnswer, openScriptedUpstream, type ScriptedAnswer } from '../../support/scripted-upstream.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

const refusalEvent = JSON.stringify({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', refusal: 'Not that.' }, finish_reason: 'stop' }],
})

/** What providers answer to a question that they or their models refuse, and the words of it that a user needs. */
const refusals: readonly (readonly [words: string, answer: ScriptedAnswer])[] = [
  ['Too hot.', jsonAnswer({ error: { message: 'Too hot.', type: 'bad', param: null, code: null } }, 400)],
  ['Too cold.', jsonAnswer({ error: { message: 'Too cold.', type: 'bad', code: 400 } }, 400)],
  ['Too wet.', jsonAnswer({ error: 'Too wet.' }, 422)],
  [
    'Not that.',
    {
      headers: { 'content-type': 'text/event-stream' },
      chunks: [`data: ${refusalEvent}\n\ndata: [DONE]\n\n`],
    },
  ],
]

it('the playground shows the words with which a provider or its model refuses a question', async () => {
  await using upstream = await openScriptedUpstream(refusals.map(([, answer]) => answer))
  const { origin } = upstream
  const channel = `{ name: up, provider: openai-compatible, base_url: "${origin}/v1", allow_private: true, api_key: sk-up-1234567890, models: [m] }`
  await using owned = await openOwnedConsole(`channels: [${channel}]\n`)
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  faults.expect(/playground\/completions/)
  await open('/playground')
  await page
    .getByRole('button', { name: /^Remove/ })
    .last()
    .click()
  for (const [words] of refusals) {
    await page.getByLabel('Message to all models').fill('Why does it rain?')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'Answers of m' }).getByText(words).waitFor()
  }
  expect(await page.getByText('does not understand').count()).toBe(0)
  expect(faults.found).toEqual([])
})
