import { describe, expect, it } from 'vitest'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import { openRawClient } from '../support/raw-client.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const channel = { provider: 'openai', upstreamModel: 'gpt-image-2', script: jsonAnswer({}) }
const bodyBytes = 4 * 1024 * 1024

describe('an upload that is refused by its head', () => {
  it.each([
    ['for its key', '/v1/images/edits', 'sk-unknown-0123456789', '"code":"invalid_api_key"'],
    ['for its path', '/v1/images/variations', testKey, '"code":"path_not_found"'],
    ['by a pass-through', '/passthrough/c0/videos', testKey, '"code":"passthrough_not_permitted"'],
  ])('%s is read on after the answer, so that its client sees the answer', async (_why, path, key, code) => {
    await using open = await openMediaGateway([channel])
    const client = await openRawClient(open.gateway.port)
    const isBroken = new Promise<boolean>((resolve) => client.socket.once('close', resolve))
    const type = 'multipart/form-data; boundary=x'
    client.send(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\ncontent-length: ${bodyBytes}\r\n\r\n`,
    )
    client.send(Buffer.alloc(1024))
    await client.until(code)
    client.send(Buffer.alloc(bodyBytes - 1024))
    client.socket.end()
    expect(await isBroken).toBe(false)
    expect(client.text).toMatch(/connection: close/i)
  })

  it('ends its connection, although the client sends another request with its last byte', async () => {
    await using open = await openMediaGateway([
      { ...channel, script: jsonAnswer({ object: 'list', data: [] }) },
    ])
    const client = await openRawClient(open.gateway.port)
    const head = `authorization: Bearer ${testKey}\r\nhost: a\r\ncontent-type: application/json\r\n`
    const asked = '{"model":"m","prompt":"a gate"}'
    client.send(`POST /v1/nothing HTTP/1.1\r\n${head}content-length: 4\r\n\r\n`)
    await client.until('path_not_found')
    client.send(
      `{  }POST /v1/images/generations HTTP/1.1\r\n${head}content-length: ${asked.length}\r\n\r\n${asked}`,
    )
    await client.ended
    client.close()
    expect(client.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    await open.client.models.list()
    expect(open.requests()).toHaveLength(0)
  })
})
