import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { anthropicOf, openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(24)])
const asBytes = `data:image/png;base64,${PNG.toString('base64')}`
const allowed = '\nmedia: { allow_private: true, timeout: 500ms, max_count: 3, max_bytes: 1KB }'

const answer = jsonAnswer({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'A gate.' }, finish_reason: 'stop' }],
})

async function openPictures(listener: RequestListener = (_request, response) => response.end(PNG)) {
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

function pictures(...urls: readonly string[]): OpenAI.ChatCompletionMessageParam[] {
  const parts = urls.map((url) => ({ type: 'image_url' as const, image_url: { url } }))
  return [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...parts] }]
}

function imagesIn(body: Buffer | undefined): unknown[] {
  const { messages } = JSON.parse(String(body))
  return messages[0].content.filter(({ type }: { type: string }) => type === 'image_url')
}

it('the gateway sends the bytes of an image to a channel that accepts no addresses, whatever the caller’s format', async () => {
  await using host = await openPictures()
  await using open = await openGateway({ scripts: [answer], provider: 'ollama', more: allowed })
  const url = `${host.origin}/gate.png`
  await openaiOf(open).chat.completions.create({ model: 'm', messages: pictures(url, url) })
  await anthropicOf(open).messages.create({
    model: 'm',
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
  })
  const [first, second] = open.upstreams[0]?.requests ?? []
  expect(imagesIn(first?.body)).toEqual([
    { type: 'image_url', image_url: { url: asBytes } },
    { type: 'image_url', image_url: { url: asBytes } },
  ])
  expect(imagesIn(second?.body)).toEqual([{ type: 'image_url', image_url: { url: asBytes } }])
  // Once for each request.
  expect(host.asked).toBe(2)
})

it('the gateway forwards an address if the channel fetches by itself', async () => {
  await using host = await openPictures()
  await using open = await openGateway({ scripts: [answer], more: allowed })
  const url = `${host.origin}/gate.png`
  await anthropicOf(open).messages.create({
    model: 'm',
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
  })
  expect(imagesIn(open.upstreams[0]?.requests[0]?.body)).toEqual([{ type: 'image_url', image_url: { url } }])
  expect(host.asked).toBe(0)
})

it('the gateway sends a document behind an address as a file', async () => {
  await using host = await openPictures((_request, response) => response.end('%PDF-1.7 words'))
  await using open = await openGateway({ scripts: [answer], more: allowed })
  await anthropicOf(open).messages.create({
    model: 'm',
    max_tokens: 10,
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', title: 'a.pdf', source: { type: 'url', url: `${host.origin}/a.pdf` } }],
      },
    ],
  })
  const { messages } = JSON.parse(String(open.upstreams[0]?.requests[0]?.body))
  const data = Buffer.from('%PDF-1.7 words').toString('base64')
  expect(messages[0].content).toEqual([
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } },
  ])
})

it.each([
  ['a private address, which is not allowed', '', 'cannot be reached at a public address'],
  [
    'fetching turned off',
    '\nmedia: off',
    'is not fetched, since the operator of this gateway turned that off',
  ],
])('the gateway refuses %s, names the field, and calls no provider', async (_name, more, reason) => {
  await using host = await openPictures()
  await using open = await openGateway({ scripts: [answer], provider: 'ollama', more })
  const url = `${host.origin}/secret-token.png`
  const error = await refusalOf(
    openaiOf(open).chat.completions.create({ model: 'm', messages: pictures(url) }),
  )
  expect(error).toBeInstanceOf(OpenAI.BadRequestError)
  expect(error).toMatchObject({ status: 400, code: 'media_unavailable', param: 'messages.content.image_url' })
  expect(String(error)).toContain(reason)
  expect(String(error)).not.toContain('secret-token')
  expect(host.asked).toBe(0)
  expect(open.upstreams[0]?.requests).toHaveLength(0)
})

it.each([
  ['drips', (_request, response) => void response.write('\x89PNG'), 'did not arrive within 500 ms'],
  ['sends a page', (_request, response) => void response.end('<html>'), 'is not a file of a type'],
  [
    'sends too much',
    (_request, response) => void response.end(Buffer.alloc(2_000, PNG)),
    'is larger than 1 KB',
  ],
  ['fails', (_request, response) => void response.writeHead(503).end(), 'is answered with status 503'],
] satisfies [string, RequestListener, string][])(
  'the gateway refuses the image of a host that %s',
  async (_name, listener, reason) => {
    await using host = await openPictures(listener)
    await using open = await openGateway({ scripts: [answer], provider: 'ollama', more: allowed })
    const error = await refusalOf(
      openaiOf(open).chat.completions.create({ model: 'm', messages: pictures(`${host.origin}/a`) }),
    )
    expect(error).toMatchObject({ status: 400, code: 'media_unavailable' })
    expect(String(error)).toContain(reason)
  },
)

it('the gateway fetches no more files than the operator allows', async () => {
  await using host = await openPictures()
  await using open = await openGateway({ scripts: [answer], provider: 'ollama', more: allowed })
  const urls = [1, 2, 3, 4].map((name) => `${host.origin}/${name}`)
  const error = await refusalOf(
    openaiOf(open).chat.completions.create({ model: 'm', messages: pictures(...urls) }),
  )
  expect(String(error)).toContain('is one of 4, and at most 3 are fetched')
  expect(host.asked).toBe(0)
})

it('the gateway tries every channel before it refuses', async () => {
  await using host = await openPictures((_request, response) => void response.writeHead(404).end())
  await using open = await openGateway({ scripts: [answer, answer], provider: 'ollama', more: allowed })
  const error = await refusalOf(
    openaiOf(open).chat.completions.create({ model: 'm', messages: pictures(`${host.origin}/a`) }),
  )
  expect(error).toMatchObject({ code: 'media_unavailable' })
  expect(host.asked).toBe(2)
})

it('the gateway stops fetching when the caller disconnects', async () => {
  let closed = 0
  await using host = await openPictures((_request, response) => {
    response.on('close', () => {
      closed += 1
    })
    response.write(PNG)
  })
  await using open = await openGateway({
    scripts: [answer],
    provider: 'ollama',
    more: '\nmedia: { allow_private: true, timeout: 1h }',
  })
  const leaving = new AbortController()
  const call = openaiOf(open).chat.completions.create(
    { model: 'm', messages: pictures(`${host.origin}/a`) },
    { signal: leaving.signal },
  )
  await expect.poll(() => host.asked).toBe(1)
  leaving.abort()
  await refusalOf(call)
  await expect.poll(() => closed).toBe(1)
  expect(open.upstreams[0]?.requests).toHaveLength(0)
})

it("the error names a Gemini caller's own field for the address, which differs from that of bytes", async () => {
  await using open = await openGateway({ scripts: [answer], provider: 'ollama' })
  const answered = await fetch(`${open.gateway.url}/v1beta/models/m:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': testKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'http://127.0.0.1:9/a.png' } }] }],
    }),
  })
  const text = await answered.text()
  expect(answered.status).toBe(400)
  expect(text).toContain('contents.parts.fileData.fileUri')
  expect(text).not.toContain('inlineData')
})
