import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createResponseSink } from './node-response-sink.ts'

const STALLED_MS = 150
const large = Buffer.alloc(16 * 1024 * 1024, 'a')
const cleanup: (() => void)[] = []

afterEach(() => {
  for (const close of cleanup.splice(0)) close()
})

interface Opened {
  readonly server: Server
  readonly caller: Socket
  readonly response: ServerResponse
}

/** A caller that has asked, and the answer to be written. */
async function openExchange(): Promise<Opened> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const caller = connect({ host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0 })
  caller.on('error', () => undefined)
  cleanup.push(() => {
    caller.destroy()
    server.close()
  })
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const response = await new Promise<ServerResponse>((resolve) => {
    server.on('request', (_request, answer) => resolve(answer))
  })
  return { server, caller, response }
}

describe('a written answer', () => {
  it('reports a caller as gone when it reads nothing for a while', async () => {
    const { caller, response } = await openExchange()
    caller.pause()
    const sink = createResponseSink(response, STALLED_MS)
    const gone = new Promise<void>((resolve) => sink.onGone(resolve))
    sink.onDrain(() => undefined)
    sink.start(200, {})
    expect(sink.write(large)).toBe(false)
    const startedAtMs = performance.now()
    await gone
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(STALLED_MS - 20)
    expect(response.destroyed).toBe(true)
  })

  it('times out on a stalled caller even while more is written, such as heartbeats', async () => {
    const { caller, response } = await openExchange()
    caller.pause()
    const sink = createResponseSink(response, STALLED_MS)
    const gone = new Promise<void>((resolve) => sink.onGone(resolve))
    sink.start(200, {})
    sink.write(large)
    const beat = setInterval(() => sink.write(': \n\n'), STALLED_MS / 5)
    await gone
    clearInterval(beat)
    expect(response.destroyed).toBe(true)
  })

  it('keeps a caller that reads a little from time to time', async () => {
    const { caller, response } = await openExchange()
    // Long enough that a machine that stands still for a moment is not taken for a caller that does.
    const sink = createResponseSink(response, 1_000)
    let isGone = false
    sink.onGone(() => {
      isGone = true
    })
    const drained = new Promise<void>((resolve) => sink.onDrain(resolve))
    sink.start(200, {})
    let took = 0
    caller.on('data', (part) => {
      took += part.length
      // Slower than the limit allows for all of it (twice 1 s), faster than it allows between two parts.
      if (took < 8_000_000) {
        caller.pause()
        setTimeout(() => caller.resume(), 25)
      }
    })
    sink.write(large)
    await drained
    expect({ isGone, timeoutMs: response.socket?.timeout }).toEqual({ isGone: false, timeoutMs: 0 })
  })

  it('closes the connection if the caller never reads the end', async () => {
    const { caller, response } = await openExchange()
    caller.pause()
    const sink = createResponseSink(response, STALLED_MS)
    sink.start(200, { 'content-length': String(large.length) })
    sink.end(large)
    await once(response, 'close')
    expect(response.writableFinished).toBe(false)
  })
})

describe('an answer that waits behind another', () => {
  it('gives its caller the time that its provider takes, after a large answer that the caller has read', async () => {
    const { server, caller, response } = await openExchange()
    caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const [, later] = await once(server, 'request')
    const sink = createResponseSink(response, STALLED_MS)
    sink.start(200, {})
    sink.write(large)
    sink.end()
    caller.resume()
    const [socket] = await once(later, 'socket')
    expect(socket.timeout).toBe(0)
  })

  it.each(['whole', 'stream'])(
    'closes the connection if the caller then reads nothing of it, as a %s answer',
    async (form) => {
      const { server, caller, response } = await openExchange()
      caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
      const [, later] = await once(server, 'request')
      const sink = createResponseSink(later, STALLED_MS)
      sink.start(200, {})
      if (form === 'stream') sink.write(large)
      else sink.end(large)
      caller.pause()
      response.end('one')
      await once(later, 'close')
      expect(later.writableFinished).toBe(false)
    },
  )
})

it('an answer that is cut while it waits behind another ends the connection after the part already written', async () => {
  const { server, caller, response } = await openExchange()
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [, later] = await once(server, 'request')
  const sink = createResponseSink(later)
  sink.start(200, {})
  sink.write('half')
  sink.cut()
  let text = ''
  caller.on('data', (part) => {
    text += String(part)
  })
  response.end('one')
  await once(caller, 'close')
  expect(text).toMatch(/one[\s\S]*4\r\nhalf\r\n$/)
})

/** All that a caller gets until the server closes the connection. */
async function readAll(caller: Socket): Promise<string> {
  let text = ''
  caller.on('data', (part) => {
    text += String(part)
  })
  await once(caller, 'close')
  return text
}

describe('a streamed answer', () => {
  it('is sent in chunks, small and large, as bytes and as text, and keeps the connection open for the next request', async () => {
    const { server, caller, response } = await openExchange()
    const text = readAll(caller)
    const sink = createResponseSink(response)
    sink.start(200, {})
    sink.write(Buffer.from('one'))
    sink.write('')
    sink.write('zwölf')
    sink.write('b'.repeat(20_000))
    sink.end()
    const next = once(server, 'request')
    caller.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    const [, second] = await next
    const other = createResponseSink(second)
    other.start(200, {})
    other.end('last')
    const answers = (await text).split('HTTP/1.1 200 OK\r\n').slice(1)
    const bodies = answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4))
    expect(bodies).toEqual([
      `3\r\none\r\n6\r\nzwölf\r\n4e20\r\n${'b'.repeat(20_000)}\r\n0\r\n\r\n`,
      '4\r\nlast\r\n0\r\n\r\n',
    ])
    expect(answers.every((answer) => /transfer-encoding: chunked/i.test(answer))).toBe(true)
  })

  it('has no chunk framing for an HTTP/1.0 caller', async () => {
    const { server, caller, response } = await openExchange()
    response.end()
    const next = once(server, 'request')
    caller.write('GET / HTTP/1.0\r\n\r\n')
    const [, old] = await next
    const text = readAll(caller)
    const sink = createResponseSink(old)
    sink.start(200, {})
    sink.write('one')
    sink.end('two')
    expect(await text).toMatch(/\r\n\r\nonetwo$/)
  })
})
