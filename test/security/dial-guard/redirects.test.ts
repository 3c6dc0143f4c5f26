import { expect, it } from 'vitest'
import { ask } from '../../support/ask.ts'
import { openGateway } from '../../support/open-gateway.ts'
import { jsonAnswer, openScriptedUpstream } from '../../support/scripted-upstream.ts'

it.each([300, 301, 302, 303, 304, 305, 307, 308])(
  'the gateway does not follow a redirect %i of a channel',
  async (status) => {
    await using elsewhere = await openScriptedUpstream(jsonAnswer({ secret: 'of another host' }))
    const headers = {
      location: `${elsewhere.origin}/v1/chat/completions`,
      refresh: `0; url=${elsewhere.origin}`,
    }
    await using open = await openGateway({ scripts: [{ status, headers, chunks: [] }] })
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, request)
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.headers.location).toBeUndefined()
    expect(elsewhere.requests).toHaveLength(0)
  },
)
