import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { channelOf, type MediaOperation, mediaOperations } from '../support/faults/media-operations.ts'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import type { ScriptedAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const within = { timeout: 30_000 }
const operations = Object.entries(mediaOperations)

function open(operation: MediaOperation, script: ScriptedAnswer, more = '') {
  const { provider, upstreamModel, credentials: settings } = channelOf(operation)
  return openMediaGateway(
    [{ provider, upstreamModel, settings, script }],
    `limits: { upload_memory: 1KB }\n${more}`,
  )
}

/** Sends all of the request but as many bytes of its end, and goes. */
async function leaveBefore(missing: number, url: string, { path, body }: MediaOperation): Promise<void> {
  const asked = body('m')
  const written = new Response(asked instanceof FormData ? asked : JSON.stringify(asked))
  const type = asked instanceof FormData ? written.headers.get('content-type') : 'application/json'
  const bytes = Buffer.from(await written.arrayBuffer())
  const { port, hostname, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const gone = new Promise((resolve) => socket.on('close', resolve))
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${testKey}`,
    `content-type: ${type}`,
    `content-length: ${bytes.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(bytes.subarray(0, bytes.length - missing), () => socket.destroy())
  await gone
}

describe('a caller who disconnects', () => {
  it.each(operations)(
    'within the request for %s leaves no trace, and no provider is called',
    async (_name, operation) => {
      await using opened = await open(operation, operation.good)
      for (let times = 0; times < 10; times += 1) await leaveBefore(1, opened.gateway.url, operation)
      await expect.poll(() => opened.openUploads(), within).toEqual([])
      // What a caller sends after that is served, and is all that a provider hears of.
      const answer = await opened.post(operation.path, operation.body('m'))
      await answer.arrayBuffer()
      expect([answer.status, opened.requests().length]).toEqual([200, 1])
      // A file is closed soon after its request has ended.
      await expect.poll(() => opened.openUploads(), within).toEqual([])
    },
  )

  it.each(operations)(
    'right after the request for %s ends the call to the provider, or none is made',
    async (_name, operation) => {
      await using opened = await open(operation, { ending: 'silence' })
      for (let times = 0; times < 5; times += 1) await leaveBefore(0, opened.gateway.url, operation)
      await expect.poll(() => opened.openUploads(), within).toEqual([])
      const inProgress = () => opened.requests().filter(({ abortedAtMs }) => abortedAtMs === undefined)
      await expect.poll(inProgress, within).toEqual([])
    },
  )

  it('right after an upload uses nothing of the rate limits', async () => {
    const { 'a transcript': operation } = mediaOperations
    if (operation === undefined) throw new Error('there is no such operation')
    await using opened = await open(operation, operation.good, 'rate: { rpm: 3 }\n')
    for (let times = 0; times < 5; times += 1) await leaveBefore(0, opened.gateway.url, operation)
    await expect.poll(() => opened.openUploads(), within).toEqual([])
    const answer = await opened.post(operation.path, operation.body('m'))
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  })

  it.each(operations)('within the answer of %s ends the provider’s answer', async (_name, operation) => {
    const [first = ''] = operation.good.chunks ?? []
    const begun = operation.isRelayed ? first : String(first).slice(0, -1)
    await using opened = await open(operation, { ...operation.good, chunks: [begun], ending: 'hang' })
    const leaving = new AbortController()
    const answered = opened.post(operation.path, operation.body('m'), {}, leaving.signal)
    if (operation.isRelayed) await (await answered).body?.getReader().read()
    else await expect.poll(() => opened.requests().length, within).toBe(1)
    leaving.abort()
    await answered.catch(() => undefined)
    await opened.sent().closed
    expect([opened.sent().abortedAtMs, opened.requests().length]).toEqual([expect.any(Number), 1])
    await expect.poll(() => opened.openUploads(), within).toEqual([])
  })
})
