import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { openGateway } from '../support/open-gateway.ts'

const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

it.each([
  [429, 429, 'rate_limit_exceeded'],
  [503, 503, 'upstream_overloaded'],
  [401, 502, 'upstream_credential'],
])('a truncated error answer is still reported by its status: %i', async (status, reported, code) => {
  const headers = { 'content-type': 'application/json', 'content-length': '500' }
  const cut = { status, headers, chunks: ['{"error":{"message":"Sl'], ending: 'half-close' } as const
  await using open = await openGateway({ scripts: [cut], more: 'queue: off\nretry: { same_target: 0 }\n' })
  const answer = await ask({ url: open.gateway.url, format: 'chat' }, body)
  expect(answer.status).toBe(reported)
  expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code } })
})
