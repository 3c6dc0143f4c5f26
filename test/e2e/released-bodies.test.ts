import { afterEach, expect, it, vi } from 'vitest'
import { BodyBytes } from '../../src/kit/json/body-bytes.ts'
import { ask } from '../support/ask.ts'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { until } from '../support/until.ts'

const LARGE = 'x'.repeat(400_000)

afterEach(() => void vi.restoreAllMocks())

it.each([
  { how: 'answered', status: 200 },
  { how: 'refused by its upstream', status: 400 },
])('the gateway releases the bytes of a large request that was $how', async ({ status }) => {
  needsOneProcess('it looks at the bodies in the memory of its own process')
  const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }]
  const answer = jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }, status)
  await using open = await openGateway({ format: 'chat', scripts: [answer], upstreamModel: 'other' })
  const lend = vi.spyOn(BodyBytes.prototype, 'lend')
  const messages = [{ role: 'user', content: LARGE }]
  const asked = await ask({ url: open.gateway.url, format: 'chat' }, { model: 'm', messages })
  expect(asked.status).toBe(status)
  const [parts] = lend.mock.calls[0] ?? []
  expect(parts).toBeDefined()
  await until('the body is released', () => parts?.length === 0)
})
