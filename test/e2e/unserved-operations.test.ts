import { expect, it } from 'vitest'
import { startGateway, testKey } from '../support/start-gateway.ts'

const unserved = ['/v1/videos', '/v1/assistants', '/v1/images/variations', '/v1/mcp']

it('an operation that is not served is answered with the paths that are, and each of them is', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const post = async (path: string) => {
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: '{}' })
    return { status: answer.status, text: await answer.text() }
  }
  for (const path of unserved) {
    const { status, text } = await post(path)
    expect(status).toBe(404)
    const served = /Served are (.*)\."/.exec(text)?.[1]?.split(', ') ?? []
    const some = ['/v1/chat/completions', '/v1/images/edits', '/v1/key', '/v1/models', '/v1/rerank']
    expect(served).toEqual(expect.arrayContaining(some))
    expect(served).not.toContain(path)
    for (const each of served) expect((await post(each)).text, each).not.toContain('path_not_found')
  }
})
