import { expect, it } from 'vitest'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const key = 'sk-stated-0123456789abcdef'

it('input that only the provider sees, such as a file, uses the token limits', async () => {
  needsOneProcess('the debt of a limit is the one of the process that was called')
  const usage = { prompt_tokens: 5_000, completion_tokens: 1, total_tokens: 5_001 }
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
  const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }
  await using upstream = await openScriptedUpstream(jsonAnswer(completion))
  await using gateway = await startGateway(`
keys: [{ name: ci, secret: ${key}, rate: { input_tpm: 6000 } }]
channels:
  - { name: c, provider: openai, base_url: "${upstream.origin}/v1", allow_private: true, api_key: k-0123456789, models: [m] }
`)
  const ask = () =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    })
  const first = await ask()
  expect([first.status, await first.json()]).toMatchObject([200, { usage }])
  const second = await ask()
  expect([second.status, await second.json()]).toMatchObject([
    429,
    { error: { code: 'rate_limit_exceeded' } },
  ])
})
