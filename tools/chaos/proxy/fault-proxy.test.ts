import { createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts'
import { openRawClient, type RawClient, rawRequest } from '../../../test/support/raw-client.ts'
import { until } from '../../../test/support/until.ts'
import type { ProxyScriptInput } from '../script/proxy-script-schema.ts'
import { openFaultUpstream } from '../upstream/open-fault-upstream.ts'
import { type FaultProxy, openFaultProxy } from './open-fault-proxy.ts'

interface Scene {
  readonly clock: FakeClock
  readonly proxy: FaultProxy
  readonly client: RawClient
  /** The target's side of the connection, and what it got. */
  readonly target: {
    readonly socket: Socket | undefined
    readonly text: string
    readonly end: string | undefined
  }
}

/** A client, the proxy, and a target that only listens; nothing is left of them afterwards. */
async function relay(
  script: ProxyScriptInput,
  act: (scene: Scene) => Promise<void>,
  seed = 7,
): Promise<void> {
  const clock = createFakeClock()
  let text = ''
  let end: string | undefined
  let socket: Socket | undefined
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    socket = incoming
    incoming.on('data', (bytes) => {
      text += bytes.toString('latin1')
    })
    incoming.on('end', () => {
      end ??= 'fin'
    })
    incoming.on('error', (error: NodeJS.ErrnoException) => {
      end ??= error.code
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const proxy = await openFaultProxy({ clock, seed, to: { host: '127.0.0.1', port }, script })
  const client = await openRawClient(proxy.port)
  const target = {
    get socket() {
      return socket
    },
    get text() {
      return text
    },
    get end() {
      return end
    },
  }
  await act({ clock, proxy, client, target })
  client.close()
  await proxy.close()
  socket?.destroy()
  await new Promise((closed) => server.close(closed))
  expect(clock.pendingTimers).toBe(0)
  expect(proxy.traffic.connectionsOpen).toBe(0)
}

type Direction = NonNullable<NonNullable<ProxyScriptInput['rules']>[number]['do']['up']>
const up = (direction: Direction): ProxyScriptInput => ({ rules: [{ do: { up: direction } }] })
const down = (direction: Direction): ProxyScriptInput => ({ rules: [{ do: { down: direction } }] })

describe('a fault proxy', () => {
  it('passes both directions on unchanged, including their ends', () =>
    relay({}, async ({ client, target, proxy }) => {
      client.send('hello')
      await until('the target got it', () => target.text === 'hello')
      target.socket?.write('world')
      await client.until('world')
      client.socket.end()
      await until('the target saw the end', () => target.end === 'fin')
      target.socket?.end('!')
      expect([await client.ended, client.text]).toEqual(['fin', 'world!'])
      expect(proxy.traffic).toMatchObject({ connectionsOpened: 1, bytesReceived: 5, bytesSent: 6 })
    }))

  it('passes on a reset', () =>
    relay({}, async ({ client, target }) => {
      client.send('hello')
      await until('the target got it', () => target.text === 'hello')
      target.socket?.resetAndDestroy()
      expect(await client.ended).toBe('ECONNRESET')
    }))

  it.each([
    ['fin', 'fin'],
    ['reset', 'ECONNRESET'],
  ] as const)('cuts both sides by %s after a number of bytes', (cut, end) =>
    relay(down({ events: [{ after: 3, cut }] }), async ({ client, target }) => {
      client.send('hello')
      await until('the target got it', () => target.text === 'hello')
      target.socket?.write('abcdef')
      expect([await client.ended, client.text]).toEqual([end, 'abc'])
      await until('the target saw the end', () => target.end === end)
    }),
  )

  it('ends one direction and keeps the other open', () =>
    relay(up({ events: [{ after: 2, cut: 'half-close' }] }), async ({ client, target }) => {
      client.send('hello')
      await until('the target saw the end', () => target.end === 'fin')
      target.socket?.write('still here')
      await client.until('still here')
      expect(target.text).toBe('he')
    }))

  it.each([
    [{ after: 2, drop: 3 }, 'abfgh'],
    [{ after: 2, swap: 2 }, 'abefcdgh'],
    [{ after: 4, black_hole: true }, 'abcd'],
  ] as const)('changes bytes at a position: %j', (event, expected) =>
    relay(up({ events: [event] }), async ({ client, target, proxy }) => {
      client.send('abcdefgh')
      await until('the bytes are there', () => target.text === expected)
      expect(proxy.traffic.bytesReceived).toBe(expected.length)
    }),
  )

  it('corrupts the same bytes for the same seed', async () => {
    const textWith = async (seed: number) => {
      let text = ''
      const script = up({ events: [{ after: 2, corrupt: 2 }] })
      await relay(
        script,
        async ({ client, target }) => {
          client.send('abcdefgh')
          await until('the bytes are there', () => target.text.length === 8)
          text = target.text
        },
        seed,
      )
      return text
    }
    const first = await textWith(1)
    expect(first).toMatch(/^ab[^c][^d]efgh$/s)
    expect(await textWith(1)).toBe(first)
    expect(await textWith(2)).not.toBe(first)
  })

  it('sends bytes slowly', () =>
    relay(up({ pace: { bytes: 1, every: '1s' } }), async ({ client, target, clock }) => {
      client.send('abcd')
      await until('the first byte is there', () => target.text === 'a')
      clock.advance(2_000)
      await until('two more are there', () => target.text === 'abc')
      clock.advance(1_000)
      await until('all are there', () => target.text === 'abcd')
    }))

  it('pauses at a byte, and delays every chunk', () =>
    relay(up({ delay: '100ms', events: [{ after: 2, pause: '5s' }] }), async ({ client, target, clock }) => {
      client.send('abcd')
      await until('the delay began', () => clock.pendingTimers === 1)
      expect(target.text).toBe('')
      clock.advance(100)
      await until('the bytes before the pause are there', () => target.text === 'ab')
      clock.advance(4_999)
      expect(target.text).toBe('ab')
      clock.advance(1)
      await until('the rest is there', () => target.text === 'abcd')
    }))

  it.each([
    ['reset', 'ECONNRESET'],
    ['fin', 'fin'],
  ] as const)('closes new connections: %s', (close, end) =>
    relay({ rules: [{ do: { close } }] }, async ({ client, target }) => {
      expect(await client.ended).toBe(end)
      expect(target.socket).toBeUndefined()
    }),
  )

  it('swallows a connection completely, and connects to the target late', async () => {
    await relay({ rules: [{ do: { black_hole: true } }] }, async ({ client, target, clock }) => {
      client.send('hello')
      clock.advance(60_000)
      expect(target.socket).toBeUndefined()
    })
    await relay({ rules: [{ do: { delay: '3s' } }] }, async ({ client, target, clock }) => {
      client.send('hello')
      await until('it waits', () => clock.pendingTimers === 1)
      expect(target.socket).toBeUndefined()
      clock.advance(3_000)
      await until('the target got it', () => target.text === 'hello')
    })
  })

  it('applies backpressure to a sender while the receiver does not read, and loses nothing', () =>
    relay({}, async ({ client, target }) => {
      client.send('x')
      await until('the target is there', () => target.socket !== undefined)
      client.socket.pause()
      const all = Buffer.alloc(8 * 1024 * 1024, 'a')
      target.socket?.write(all)
      client.socket.resume()
      await client.untilBytes(all.length)
      expect(client.bytes.equals(all)).toBe(true)
    }))

  it('cuts TLS in the middle of a record', async () => {
    const clock = createFakeClock()
    await using upstream = await openFaultUpstream({
      clock,
      seed: 1,
      script: { tls: {}, answer: { words: 4_000 } },
    })
    const to = { host: '127.0.0.1', port: upstream.port }
    const script = down({ events: [{ after: 100_000, cut: 'reset' }] })
    await using proxy = await openFaultProxy({ clock, seed: 1, to, script })
    const client = await openRawClient(proxy.port, { authority: upstream.authority })
    client.send(rawRequest('/v1/chat/completions', { model: 'm', stream: true, messages: [] }))
    expect(await client.ended).toBe('ECONNRESET')
    expect(client.text).toContain('word-1')
    expect(client.text).not.toContain('word-4000')
  })

  it('acts only on the connections that match its rules', async () => {
    const clock = createFakeClock()
    await using upstream = await openFaultUpstream({ clock, seed: 1 })
    const to = { host: '127.0.0.1', port: upstream.port }
    const script = { rules: [{ when: { connection: { from: 2, to: 3 } }, do: { close: 'fin' as const } }] }
    await using proxy = await openFaultProxy({ clock, seed: 1, to, script })
    const seen: string[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const client = await openRawClient(proxy.port)
      client.send(rawRequest('/v1/chat/completions', { model: 'm', messages: [] }))
      seen.push(await Promise.race([client.ended, client.until('}}').then(() => 'answered')]))
      client.close()
    }
    expect(seen[0]).toBe('answered')
    expect(seen.slice(1, 3)).not.toContain('answered')
    expect(seen[3]).toBe('answered')
  })
})
