import { createPartFromUri, type GoogleGenAI } from '@google/genai'
import { expect } from 'vitest'
import { keyA, keyB, keyOfDollar, keyOfOther } from './object-gateway.ts'
import { openGeminiGateway } from './open-gemini-gateway.ts'

/**
 * Makes so many files and cached contents with one key, and has three others ask for everything of them, by our names
 * and the provider's. Gives the number of requests, each of which must be refused before the provider hears of it.
 */
export async function probeGeminiObjects(objectCount: number): Promise<number> {
  await using open = await openGeminiGateway()
  const owner = open.clientOf(keyA)
  const files: string[] = []
  const caches: string[] = []
  for (let index = 0; index < objectCount; index += 1) {
    const file = new Blob([`file ${index}`], { type: 'text/plain' })
    files.push((await owner.files.upload({ file })).name ?? '')
    caches.push((await owner.caches.create({ model: 'm', config: { contents: 'Hi' } })).name ?? '')
  }
  const session = await startSession(open.gateway.url)
  const remoteFiles = [...open.upstream.files.keys()].map((name) => `files/${name}`)
  const remoteCaches = [...open.upstream.caches.keys()].map((name) => `cachedContents/${name}`)
  const before = open.upstream.requests.length
  let probes = 0
  const probe = async (asks: readonly (() => Promise<unknown>)[]) => {
    for (const ask of asks) {
      await expect(ask()).rejects.toMatchObject({ status: 404 })
      probes += 1
    }
  }
  for (const key of [keyB, keyOfDollar, keyOfOther]) {
    const client = open.clientOf(key)
    await probe([...files, ...remoteFiles].flatMap((name) => asksOfFile(client, name)))
    await probe([...caches, ...remoteCaches].flatMap((name) => asksOfCache(client, name)))
    for (const command of ['query', 'upload', 'upload, finalize', 'cancel']) {
      const headers = { 'x-goog-api-key': key, 'x-goog-upload-command': command, 'x-goog-upload-offset': '0' }
      expect((await fetch(session, { method: 'POST', headers })).status).toBe(404)
      probes += 1
    }
    expect((await client.files.list()).page).toEqual([])
    expect((await client.caches.list()).page).toEqual([])
  }
  // The owner gets nothing by the provider's own names either.
  await probe(remoteFiles.flatMap((name) => asksOfFile(owner, name)))
  await probe(remoteCaches.flatMap((name) => asksOfCache(owner, name)))
  expect(open.upstream.requests.length).toBe(before)
  return probes
}

async function startSession(url: string): Promise<string> {
  const headers = {
    'x-goog-api-key': keyA,
    'content-type': 'application/json',
    'x-goog-upload-protocol': 'resumable',
    'x-goog-upload-command': 'start',
    'x-goog-upload-header-content-length': '1',
    'x-goog-upload-header-content-type': 'text/plain',
  }
  const started = await fetch(`${url}/upload/v1beta/files`, { method: 'POST', headers, body: '{}' })
  return started.headers.get('x-goog-upload-url') ?? ''
}

function asksOfFile({ files, models, caches }: GoogleGenAI, name: string) {
  const contents = createPartFromUri(name, 'text/plain')
  return [
    () => files.get({ name }),
    () => files.delete({ name }),
    () => models.generateContent({ model: 'm', contents }),
    () => models.countTokens({ model: 'm', contents }),
    () => caches.create({ model: 'm', config: { contents } }),
  ]
}

function asksOfCache({ caches, models }: GoogleGenAI, name: string) {
  return [
    () => caches.get({ name }),
    () => caches.update({ name, config: { ttl: '1s' } }),
    () => caches.delete({ name }),
    () => models.generateContent({ model: 'm', contents: 'Hi', config: { cachedContent: name } }),
  ]
}
