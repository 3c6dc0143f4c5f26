import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { openGateway } from '../support/open-gateway.ts'

const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

it.each([
  [429, 429, 'rate_limit_exceeded', 'half-close'],
  [503, 503, 'upstream_overloaded', 'half-close'],
  [401, 502, 'upstream_credential', 'half-close'],
  [429, 429, 'rate_limit_exceeded', 'hang'],
  [400, 400, 'upstream_rejected', 'hang'],
] as const)(
  'an error answer whose end is missing is still reported by its status: %i',
  async (status, reported, code, ending) => {
    const headers = { 'content-type': 'application/json', 'content-length': '500' }
    const cut = { status, headers, chunks: ['{"error":{"message":"Sl'], ending } as const
    const more = 'queue: off\nretry: { same_target: 0 }\n'
    await using open = await openGateway({ scripts: [cut], more, firstMore: 'timeouts: { idle: 1s }' })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, body)
    expect(answer.status).toBe(reported)
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code } })
  },
)
