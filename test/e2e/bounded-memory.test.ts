import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { operationPaths } from '../support/ask.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { openGateway } from '../support/open-gateway.ts'
import { lanes } from '../support/relays.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { until, untilSteady } from '../support/until.ts'

const MEGABYTE = 1024 * 1024
const STREAM_BYTES = 64 * MEGABYTE
/** The bytes that the system's own buffers of two connections hold, and ours. */
const MAX_HELD_BYTES = 24 * MEGABYTE

/** The sample with its text repeated until the stream is long. */
function longStream(channel: BodyFormatId): readonly string[] {
  const { frames } = sampleStreams[channel]
  const at = frames.findIndex((frame) => frame.includes('Grüße, '))
  const text = (frames[at] ?? '').replace('Grüße, ', 'x'.repeat(64 * 1024))
  const repeated = Array.from({ length: STREAM_BYTES / (64 * 1024) }, () => text)
  return [...frames.slice(0, at), ...repeated, ...frames.slice(at + 1)]
}

/** A connection that has sent its request, and reads only on request. */
function openCaller(url: string, format: BodyFormatId): Socket {
  const body = JSON.stringify(streamRequest('m'))
  const head = [
    `POST ${operationPaths[format]} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${testKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  socket.pause()
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

async function exchangeWith(url: string): Promise<void> {
  const answer = await fetch(`${url}/healthz`)
  await answer.text()
}

const ends = {
  chat: 'data: [DONE]',
  messages: 'event: message_stop',
  responses: '"type":"response.completed"',
} as const

describe.each(lanes)('a %s caller on a %s channel', (caller, channel) => {
  const { frames } = sampleStreams[channel]
  const untilContent = frames.slice(0, frames.findIndex((frame) => frame.includes('Grüße, ')) + 1)

  it('pauses the channel while it does not read, and gets the whole answer when it reads', async () => {
    await using open = await openGateway({ format: channel, scripts: [sseAnswer(longStream(channel))] })
    const socket = openCaller(open.gateway.url, caller)
    const request = await open.upstreams[0]?.request(0)
    const written = () => request?.socket.bytesWritten ?? 0
    const held = await untilSteady('what the upstream wrote', written, () => exchangeWith(open.gateway.url))
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThan(MAX_HELD_BYTES)
    let received = 0
    let last = ''
    let hasEnd = false
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      const recent = `${last}${chunk.toString('latin1')}`
      hasEnd ||= recent.includes(ends[caller])
      last = recent.slice(-400)
    })
    socket.resume()
    await new Promise((closed) => socket.on('close', closed))
    // The responses format says a text once more at its end: one that is too long to be kept ends as a cut answer.
    const isStored = caller === 'responses' && channel !== 'responses'
    expect(received > STREAM_BYTES).toBe(!isStored)
    expect(hasEnd).toBe(!isStored)
    if (isStored) expect(last).toContain('"code":"upstream_bad_response"')
  })

  it('stops the channel if it disconnects while it does not read', async () => {
    await using open = await openGateway({ format: channel, scripts: [sseAnswer(longStream(channel))] })
    const socket = openCaller(open.gateway.url, caller)
    const request = await open.upstreams[0]?.request(0)
    await until('the upstream has to wait', () => request?.socket.writableNeedDrain === true)
    socket.destroy()
    await request?.closed
    expect(request?.abortedAtMs).toBeDefined()
    expect(request?.socket.bytesWritten).toBeLessThan(MAX_HELD_BYTES)
  })

  it('stops the channel if it disconnects before the first byte, and no other channel is called', async () => {
    const scripts = [sseAnswer([], 'silence'), sseAnswer(frames)]
    await using open = await openGateway({ format: channel, scripts })
    const socket = openCaller(open.gateway.url, caller)
    const request = await open.upstreams[0]?.request(0)
    socket.destroy()
    await request?.closed
    expect(request?.abortedAtMs).toBeDefined()
    expect(open.upstreams[1]?.requests).toHaveLength(0)
  })

  it('stops a hundred calls if a hundred such callers disconnect in the middle', async () => {
    const scripts = [sseAnswer(untilContent, 'hang')]
    await using open = await openGateway({ format: channel, scripts })
    const sockets = Array.from({ length: 100 }, () => openCaller(open.gateway.url, caller))
    let begun = 0
    for (const socket of sockets) {
      socket.once('data', () => {
        begun += 1
      })
      socket.resume()
    }
    await until('all answers have begun', () => begun === sockets.length)
    for (const socket of sockets) socket.destroy()
    const requests = open.upstreams[0]?.requests ?? []
    await Promise.all(requests.map(({ closed }) => closed))
    expect(requests.filter(({ abortedAtMs }) => abortedAtMs !== undefined)).toHaveLength(100)
  })
})
