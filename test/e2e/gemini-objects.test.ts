import { createPartFromUri, type GoogleGenAI } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf } from '../support/judged.ts'
import { keyA, keyB, keyOfDollar } from '../support/object-gateway.ts'
import { type GeminiGateway, openGeminiGateway } from '../support/open-gemini-gateway.ts'
import { probeGeminiObjects } from '../support/probe-gemini-objects.ts'

const config = { mimeType: 'text/plain', displayName: 'notes' }

function upload({ files }: GoogleGenAI, text = 'some text') {
  return files.upload({ file: new Blob([text], { type: 'text/plain' }), config })
}

function ask(client: GoogleGenAI, uri: string, model = 'm') {
  return client.models.generateContent({ model, contents: [createPartFromUri(uri, 'text/plain'), 'Hi'] })
}

function bodyOfLast({ upstream }: GeminiGateway): Record<string, unknown> {
  return fieldsOf(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? ''))
}

describe("the Google Gen AI SDK's files", () => {
  it('upload, get, list and delete use the gateway’s name of a file', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const file = await upload(client)
    const name = file.name ?? ''
    expect(name).toMatch(/^files\/[0-9a-f]{32}$/)
    expect(file).toMatchObject({
      displayName: 'notes',
      mimeType: 'text/plain',
      sizeBytes: '9',
      state: 'PROCESSING',
    })
    expect(file.uri).toBe(`${open.gateway.url}/v1beta/${name}`)
    const got = await client.files.get({ name })
    expect(got).toMatchObject({ name, uri: file.uri, state: 'ACTIVE' })
    expect(JSON.stringify([file, got])).not.toContain('remote')
    await client.files.delete({ name })
    await expect(client.files.get({ name })).rejects.toMatchObject({ status: 404 })
    expect(open.upstream.files.size).toBe(0)
  })

  it('list is paged', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const names: (string | undefined)[] = []
    for (const text of ['1', '2', '3']) names.unshift((await upload(client, text)).name)
    const listed: (string | undefined)[] = []
    for await (const { name } of await client.files.list({ config: { pageSize: 2 } })) listed.push(name)
    expect(listed).toEqual(names)
  })

  it('list takes a page size of 0 for none, as Google does', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const { name } = await upload(client, '1')
    const { page } = await client.files.list({ config: { pageSize: 0 } })
    expect(page.map((file) => file.name)).toEqual([name])
    expect((await client.caches.list({ config: { pageSize: 0 } })).page).toEqual([])
    await expect(client.files.list({ config: { pageSize: -1 } })).rejects.toMatchObject({ status: 400 })
  })

  it('upload sends a file in several parts, whose bytes arrive unchanged', async () => {
    await using open = await openGeminiGateway()
    const bytes = Buffer.alloc(18 * 1024 * 1024, 'abcdefg')
    await open.clientOf(keyA).files.upload({ file: new Blob([bytes], { type: 'text/plain' }), config })
    const [stored] = open.upstream.files.values()
    expect(stored?.equals(bytes)).toBe(true)
    // The SDK sends 8 MB at a time.
    expect(open.upstream.requests.length).toBe(4)
  })

  it('are read by a request under the provider’s address', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const { uri = '', name = '' } = await upload(client)
    const [remote = ''] = open.upstream.files.keys()
    for (const named of [uri, name, `https://elsewhere.example/v1beta/${name}`]) {
      expect((await ask(client, named)).text).toBe('Hello')
      expect(JSON.stringify(bodyOfLast(open))).toContain(
        `"fileUri":"${open.upstream.origin}/v1beta/files/${remote}"`,
      )
    }
  })

  it('have the gateway’s names in the message of an error', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const { uri = '', name = '' } = await upload(client)
    const [remote = ''] = open.upstream.files.keys()
    const message = `You do not have permission to access the File ${remote} or it may not exist.`
    open.upstream.failNext({
      status: 403,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ error: { code: 403, message, status: 'PERMISSION_DENIED' } })],
    })
    const refused = ask(client, uri)
    await expect(refused).rejects.toThrow(`the File ${name.replace('files/', '')} or`)
  })

  it('pass by their names if they were never uploaded here', async () => {
    await using open = await openGeminiGateway()
    const uri = 'https://models.example/v1beta/files/elsewhere'
    await ask(open.clientOf(keyA), uri).catch(() => undefined)
    expect(open.upstream.requests.at(-1)?.body.toString('utf8')).toContain(uri)
  })

  it('are refused to another key, by the name of the provider, or for a model elsewhere', async () => {
    await using open = await openGeminiGateway()
    const { uri = '' } = await upload(open.clientOf(keyA))
    const [remote = ''] = open.upstream.files.keys()
    const before = open.upstream.requests.length
    await expect(ask(open.clientOf(keyB), uri)).rejects.toMatchObject({ status: 404 })
    await expect(ask(open.clientOf(keyA), `files/${remote}`)).rejects.toMatchObject({ status: 404 })
    const elsewhere = ask(open.clientOf(keyA), uri, 'elsewhere')
    await expect(elsewhere).rejects.toThrow('stored on a channel that does not serve its model')
    expect(open.upstream.requests.length).toBe(before)
  })
})

describe('a resumable upload', () => {
  const send = (url: string, headers: Record<string, string>, body?: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'x-goog-api-key': keyA, ...headers },
      ...(body !== undefined && { body }),
    })

  async function start(open: GeminiGateway, more: object = {}): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': '6',
      'x-goog-upload-header-content-type': 'text/plain',
    }
    return send(`${open.gateway.url}/upload/v1beta/files`, headers, JSON.stringify({ file: more }))
  }

  it('reports its progress, continues from there, and ends with the file', async () => {
    await using open = await openGeminiGateway()
    const started = await start(open)
    const url = started.headers.get('x-goog-upload-url') ?? ''
    expect(url.startsWith(`${open.gateway.url}/upload/v1beta/sessions/`)).toBe(true)
    expect(started.headers.get('x-goog-upload-status')).toBe('active')
    const first = await send(url, { 'x-goog-upload-command': 'upload', 'x-goog-upload-offset': '0' }, 'abc')
    expect(first.headers.get('x-goog-upload-status')).toBe('active')
    const asked = await send(url, { 'x-goog-upload-command': 'query' })
    expect(asked.headers.get('x-goog-upload-size-received')).toBe('3')
    const end = { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '3' }
    const ended = await send(url, end, 'def')
    expect(ended.headers.get('x-goog-upload-status')).toBe('final')
    expect(fieldsOf(fieldsOf(await ended.json())['file'])['sizeBytes']).toBe('6')
    expect([...open.upstream.files.values()].map(String)).toEqual(['abcdef'])
    expect((await send(url, { 'x-goog-upload-command': 'query' })).status).toBe(404)
  })

  it('that is ended twice at the same moment has one file', async () => {
    await using open = await openGeminiGateway()
    const url = (await start(open)).headers.get('x-goog-upload-url') ?? ''
    const { promise: bothAreSent, resolve } = Promise.withResolvers<void>()
    const file = { name: 'files/remote0', mimeType: 'text/plain', state: 'ACTIVE' }
    const final = {
      headers: { 'content-type': 'application/json', 'x-goog-upload-status': 'final' },
      chunks: [bothAreSent, JSON.stringify({ file })],
    }
    open.upstream.failNext(final)
    open.upstream.failNext(final)
    const end = { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' }
    const ended = [send(url, end, 'abcdef'), send(url, end, 'abcdef')]
    await expect.poll(() => open.upstream.requests.length).toBe(3)
    resolve()
    const bodies = await Promise.all(ended.map(async (each) => fieldsOf(await (await each).json())))
    const names = bodies.map((body) => fieldsOf(body['file'])['name'])
    const listed: unknown[] = []
    for await (const { name } of await open.clientOf(keyA).files.list()) listed.push(name)
    expect(new Set(names)).toEqual(new Set(listed))
    expect(listed.length).toBe(1)
  })

  it('can be cancelled', async () => {
    await using open = await openGeminiGateway()
    const url = (await start(open)).headers.get('x-goog-upload-url') ?? ''
    const cancelled = await send(url, { 'x-goog-upload-command': 'cancel' })
    expect(cancelled.headers.get('x-goog-upload-status')).toBe('cancelled')
    expect(open.upstream.files.size).toBe(0)
  })

  it('refuses a chosen name and another protocol', async () => {
    await using open = await openGeminiGateway()
    expect((await start(open, { name: 'files/mine' })).status).toBe(400)
    const other = { 'content-type': 'application/json', 'x-goog-upload-protocol': 'multipart' }
    const refused = await send(`${open.gateway.url}/upload/v1beta/files`, other, '{}')
    expect(refused.status).toBe(400)
    expect(open.upstream.requests).toEqual([])
  })

  it('is refused if the provider redirects it to another host', async () => {
    await using open = await openGeminiGateway()
    open.upstream.failNext({
      headers: { 'x-goog-upload-url': 'http://127.0.0.1:1/upload/v1beta/files?upload_id=1' },
    })
    const started = await start(open)
    expect([started.status, started.headers.get('x-goog-upload-url')]).toEqual([502, null])
  })
})

describe("the Google Gen AI SDK's caches", () => {
  it('get no longer life from a key that has got a limit in money since', async () => {
    await using open = await openGeminiGateway()
    const { caches } = open.clientOf(keyA)
    const contents = [{ role: 'user', parts: [{ text: 'a long text' }] }]
    const { name = '' } = await caches.create({ model: 'm', config: { contents, ttl: '600s' } })
    const grant = { key: 'a', amount_usd: 5, reason: 'prepaid' }
    expect((await createAskAdmin(open.gateway.url)('POST', '/credits', { body: grant })).status).toBe(201)
    const before = open.upstream.requests.length
    await expect(caches.update({ name, config: { ttl: '86400s' } })).rejects.toThrow('limit in money')
    expect(open.upstream.requests.length).toBe(before)
    await caches.delete({ name })
  })

  const contents = 'A long text'

  it('create, get, update, list and delete use the gateway’s name of cached content', async () => {
    await using open = await openGeminiGateway()
    const { caches } = open.clientOf(keyA)
    const cache = await caches.create({ model: 'm', config: { contents, ttl: '600s', displayName: 'long' } })
    const name = cache.name ?? ''
    expect(name).toMatch(/^cachedContents\/[0-9a-f]{32}$/)
    expect(cache).toMatchObject({
      model: 'models/m',
      displayName: 'long',
      usageMetadata: { totalTokenCount: 5_000 },
    })
    expect(bodyOfLast(open)['model']).toBe('models/gemini-upstream')
    expect(await caches.get({ name })).toMatchObject({ name, model: 'models/m' })
    const updated = await caches.update({ name, config: { ttl: '1200s' } })
    expect(updated.expireTime).toBe('2098-11-25T00:00:00Z')
    const listed: (string | undefined)[] = []
    for await (const each of await caches.list()) listed.push(each.name)
    expect(listed).toEqual([name])
    expect(JSON.stringify([cache, updated])).not.toContain('remote')
    await caches.delete({ name })
    await expect(caches.get({ name })).rejects.toMatchObject({ status: 404 })
    expect(open.upstream.caches.size).toBe(0)
  })

  it('are used by a request, whose cached tokens are billed as such', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const { name = '' } = await client.caches.create({ model: 'm', config: { contents } })
    const [remote = ''] = open.upstream.caches.keys()
    const asked = { model: 'm', contents: 'Hi', config: { cachedContent: name } }
    expect((await client.models.generateContent(asked)).text).toBe('Hello')
    expect(bodyOfLast(open)['cachedContent']).toBe(`cachedContents/${remote}`)
    const costs = async () => {
      const { body } = await createAskAdmin(open.gateway.url)('GET', '/ledger?limit=10')
      const { data } = body as { readonly data: readonly Record<string, unknown>[] }
      return data.map(({ cost_usd }) => Math.round(Number(cost_usd) * 1e9))
    }
    // For a million tokens: 5,000 × $0.10 + 10 × $1 + 2 × $4.
    await expect.poll(costs).toEqual([518_000])
  })

  it('contain files of the key', async () => {
    await using open = await openGeminiGateway()
    const client = open.clientOf(keyA)
    const { uri = '' } = await upload(client)
    const [remote = ''] = open.upstream.files.keys()
    await client.caches.create({ model: 'm', config: { contents: createPartFromUri(uri, 'text/plain') } })
    expect(JSON.stringify(bodyOfLast(open))).toContain(`files/${remote}`)
    const stolen = open.clientOf(keyB).caches.create({
      model: 'm',
      config: { contents: createPartFromUri(uri, 'text/plain') },
    })
    await expect(stolen).rejects.toMatchObject({ status: 404 })
  })

  it('are refused to a key with a limit in money, since their storage has no price', async () => {
    await using open = await openGeminiGateway()
    const created = open.clientOf(keyOfDollar).caches.create({ model: 'm', config: { contents } })
    await expect(created).rejects.toMatchObject({ status: 400 })
    expect(open.upstream.requests).toEqual([])
  })

  it('are refused to another key, and by the name of the provider', async () => {
    await using open = await openGeminiGateway()
    const { name = '' } = await open.clientOf(keyA).caches.create({ model: 'm', config: { contents } })
    const [remote = ''] = open.upstream.caches.keys()
    const before = open.upstream.requests.length
    for (const [key, cachedContent] of [
      [keyB, name],
      [keyA, `cachedContents/${remote}`],
    ] as const) {
      const asked = { model: 'm', contents: 'Hi', config: { cachedContent } }
      await expect(open.clientOf(key).models.generateContent(asked)).rejects.toMatchObject({ status: 404 })
    }
    expect(open.upstream.requests.length).toBe(before)
  })
})

it('no key learns of the objects of another key, in 300 probes', async () => {
  expect(await probeGeminiObjects(5)).toBeGreaterThanOrEqual(300)
})
