import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { BODIES, needsOneProcess } from '../support/topology/needs.ts'

const PNG_START = Buffer.from('89504e470d0a1a0a', 'hex')

const answer = jsonAnswer({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'A gate.' }, finish_reason: 'stop' }],
})

async function openHost(listener: RequestListener) {
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A picture of so many bytes. */
function pictureOf(bytes: number): Buffer {
  return Buffer.concat([PNG_START, Buffer.alloc(bytes - PNG_START.length)])
}

function askAbout(...urls: readonly string[]): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const parts = urls.map((url) => ({ type: 'image_url' as const, image_url: { url } }))
  return { model: 'm', messages: [{ role: 'user', content: parts }] }
}

it('files of one key use up to its share of memory, and a request for more gets 503 until an answer ends', async () => {
  needsOneProcess(BODIES)
  const held = Promise.withResolvers<void>()
  await using host = await openHost((_request, response) => response.end(pictureOf(1_024)))
  await using open = await openGateway({
    scripts: [
      async (_request, index) => {
        if (index === 0) await held.promise
        return answer
      },
    ],
    provider: 'ollama',
    more: '\nmedia: { allow_private: true, timeout: 300ms, max_bytes: 1KB, max_held_bytes: 3KB, max_held_bytes_per_key: 1KB }',
  })
  const client = openaiOf(open)
  const first = client.chat.completions.create(askAbout(`${host.origin}/a`))
  await open.upstreams[0]?.request(0)
  const error = await refusalOf(client.chat.completions.create(askAbout(`${host.origin}/b`)))
  expect(error).toMatchObject({ status: 503, code: 'media_over_capacity' })
  expect(error instanceof OpenAI.APIError && error.headers?.get('retry-after')).toMatch(/^\d+$/)
  // Nothing is asked for before there is room.
  expect(host.asked).toBe(1)
  held.resolve()
  await first
  await client.chat.completions.create(askAbout(`${host.origin}/c`))
  expect(host.asked).toBe(2)
})

it('the memory is released when the caller disconnects and when a file cannot be fetched', async () => {
  await using host = await openHost((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end()
    else if (request.url === '/slow') response.write(PNG_START)
    else response.end(pictureOf(1_024))
  })
  await using open = await openGateway({
    scripts: [answer],
    provider: 'ollama',
    more: '\nmedia: { allow_private: true, timeout: 5s, max_bytes: 1KB, max_held_bytes: 1KB, max_fetches: 1 }',
  })
  const client = openaiOf(open)
  const missing = await refusalOf(client.chat.completions.create(askAbout(`${host.origin}/missing`)))
  expect(missing).toMatchObject({ code: 'media_unavailable' })
  const leaving = new AbortController()
  const { signal } = leaving
  const left = client.chat.completions.create(askAbout(`${host.origin}/slow`), { signal })
  await expect.poll(() => host.asked).toBe(2)
  leaving.abort()
  await refusalOf(left)
  // Half of 1 KB is this key's, and a larger file does not come in.
  const large = await refusalOf(client.chat.completions.create(askAbout(`${host.origin}/a`)))
  expect(String(large)).toContain('makes the files of this request too large together')
})

it('all fetches of a request stop once their sum is too large, before any is whole', async () => {
  await using host = await openHost((_request, response) => response.write(pictureOf(600)))
  await using open = await openGateway({
    scripts: [answer],
    provider: 'ollama',
    more: '\nmedia: { allow_private: true, timeout: 3s, max_bytes: 1KB, max_total_bytes: 1KB }',
  })
  const urls = [`${host.origin}/a`, `${host.origin}/b`]
  const error = await refusalOf(openaiOf(open).chat.completions.create(askAbout(...urls)))
  expect(error).toMatchObject({ status: 400, code: 'media_unavailable' })
  expect(String(error)).toContain('makes the files of this request too large together')
})
