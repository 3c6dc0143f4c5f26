import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { always, bodyOf, chatPath, play, stream, whole } from '../../../test/support/fault-scene.ts'
import { openRawClient, rawRequest } from '../../../test/support/raw-client.ts'
import { openFaultUpstream } from './open-fault-upstream.ts'

/** The bytes of a body after its head. */
const bodyBytes = (bytes: Buffer) => bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)

describe('framing', () => {
  it.each([
    ['short', -1],
    ['long', 1],
    ['exact', 0],
  ] as const)('states a content length that is %s', (content_length, sign) =>
    play(always({ framing: { content_length } }), async ({ client, ask }) => {
      await ask(whole)
      await client.until('}}')
      const stated = Number(/content-length: (\d+)/.exec(client.text)?.[1])
      expect(Math.sign(stated - bodyOf(client.text).length)).toBe(sign)
    }),
  )

  it.each([
    ['twice', /content-length: (\d+)\r\ncontent-length: \1\r\n/],
    ['conflicting', /content-length: (\d+)\r\ncontent-length: (?!\1\r)\d+\r\n/],
    ['negative', /content-length: -1\r\n/],
    ['text', /content-length: many\r\n/],
    ['with-chunked', /transfer-encoding: chunked\r\ncontent-length: \d+\r\n/],
  ] as const)('states invalid content lengths: %s', (content_length, pattern) =>
    play(always({ framing: { content_length } }), async ({ client, ask }) => {
      await ask(whole)
      await client.until('\r\n\r\n')
      expect(client.text).toMatch(pattern)
    }),
  )

  it.each([
    ['bad-size', '\r\n\r\nzz\r\ndata:', 'fin'],
    ['huge-size', '\r\n\r\nfffffffffffffffff\r\ndata:', 'fin'],
    ['bad-end', '\n\nXX', 'fin'],
    ['no-last', 'data: [DONE]\n\n\r\n', 'fin'],
  ] as const)('breaks the chunk framing and closes: %s', (chunked, part, end) =>
    play(always({ framing: { chunked } }), async ({ client, ask }) => {
      await ask(stream)
      expect(await client.ended).toBe(end)
      expect(client.text).toContain(part)
      expect(client.text.endsWith('0\r\n\r\n')).toBe(chunked !== 'no-last')
    }),
  )

  it.each([
    ['trailers', '0\r\nx-trailer: late\r\ncontent-length: 5\r\n\r\n'],
    ['extensions', ';name="value";flag\r\n'],
  ] as const)('writes unusual chunks: %s', (chunked, part) =>
    play(always({ framing: { chunked } }), async ({ client, ask }) => {
      await ask(stream)
      await client.until(part)
    }),
  )

  it('sends many informational responses and headers, and bytes after the answer', () =>
    play(
      always({
        framing: {
          informational: { status: 103, times: 5 },
          header_flood: { count: 100, bytes: 10 },
          extra: 'HTTP/1.1 200 OK\r\n',
        },
      }),
      async ({ client, ask }) => {
        await ask(whole)
        await client.until('}}HTTP/1.1 200 OK\r\n')
        expect(client.text.match(/HTTP\/1\.1 103 Early Hints\r\n\r\n/g)).toHaveLength(5)
        expect(client.text.match(/x-flood-\d+: x{10}\r\n/g)).toHaveLength(100)
      },
    ))

  it('ends a body without length by closing, and can send any status line', () =>
    play(always({ framing: { until_close: true, status_line: 'HELLO 200' } }), async ({ client, ask }) => {
      await ask(whole)
      expect(await client.ended).toBe('fin')
      expect(client.text).toMatch(/^HELLO 200\r\n/)
      expect(client.text).not.toMatch(/content-length|transfer-encoding/)
      expect(JSON.parse(bodyOf(client.text))).toHaveProperty('choices')
    }))

  it('answers before the body is read, and closes', () =>
    play(always({ early: true, reply: { error: 'too-large' }, connection: 'close' }), async ({ client }) => {
      client.send(`POST ${chatPath} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n{"model":`)
      expect(['fin', 'ECONNRESET']).toContain(await client.ended)
      expect(client.text).toContain('HTTP/1.1 413')
    }))
})

describe('compression that the caller did not request', () => {
  it.each([
    ['gzip', gunzipSync],
    ['deflate', inflateSync],
    ['br', brotliDecompressSync],
  ] as const)('with %s gives the same words', (by, inflate) =>
    play(always({ encode: { by } }), async ({ client, ask, upstream }) => {
      const request = await ask(whole)
      await client.untilBytes(upstream.traffic.bytesSent)
      expect(request.outcome).toBe('answered')
      expect(client.text).toContain(`content-encoding: ${by}\r\n`)
      expect(inflate(bodyBytes(client.bytes)).toString()).toContain('word-1 word-2 word-3 word-4 word-5')
    }),
  )

  it('can inflate to far more than its size', () =>
    play(
      always({ encode: { by: 'gzip', bomb: '64MB', declared: false } }),
      async ({ client, ask, upstream }) => {
        await ask(whole)
        await client.untilBytes(upstream.traffic.bytesSent)
        const bytes = bodyBytes(client.bytes)
        expect(bytes.length).toBeLessThan(100_000)
        expect(gunzipSync(bytes).length).toBeGreaterThan(64 * 1024 * 1024)
        expect(client.text).not.toContain('content-encoding')
      },
    ))
})

describe('a connection', () => {
  it.each([
    ['close', 'connection: close'],
    ['close-silently', 'HTTP/1.1 200'],
  ] as const)('ends after the answer: %s', (connection, part) =>
    play(always({ connection }), async ({ client, ask }) => {
      await ask(whole)
      expect(await client.ended).toBe('fin')
      expect(client.text).toContain(part)
      expect(client.text.includes('connection: close')).toBe(connection === 'close')
    }),
  )

  it.each([
    ['close-on-next', 'fin'],
    ['reset-on-next', 'ECONNRESET'],
  ] as const)('ends when the next request arrives: %s', (connection, end) =>
    play(always({ connection }), async ({ client, ask, upstream }) => {
      await ask(whole)
      await client.until('}}')
      client.send(rawRequest(chatPath, whole))
      expect(await client.ended).toBe(end)
      expect(upstream.requests).toHaveLength(1)
    }),
  )

  it('closes after its idle timeout', () =>
    play({ connections: [{ do: { idle_close: '5s' } }] }, async ({ client, ask, clock }) => {
      await ask(whole)
      await client.until('}}')
      clock.advance(5_000)
      expect(await client.ended).toBe('fin')
    }))

  it.each([
    ['reset', 'ECONNRESET'],
    ['fin', 'fin'],
  ] as const)('ends as soon as it is opened: %s', (close, end) =>
    play({ connections: [{ do: { close } }] }, async ({ client }) => {
      expect(await client.ended).toBe(end)
    }),
  )

  it('sends a greeting before the request, and reads late', () =>
    play({ connections: [{ do: { delay: '3s', greeting: 'HTTP/1.1 408 Slow\r\n\r\n' } }] }, async (scene) => {
      const { client, clock, upstream } = scene
      client.send(rawRequest(chatPath, whole))
      clock.advance(2_999)
      expect([client.text, upstream.requests.length]).toEqual(['', 0])
      clock.advance(1)
      await client.until('HTTP/1.1 408 Slow\r\n\r\nHTTP/1.1 200 OK')
    }))

  it('is accepted and never read', () =>
    play({ connections: [{ do: { never_read: true } }] }, async ({ client, upstream, clock }) => {
      client.send(rawRequest(chatPath, whole))
      clock.advance(60_000)
      expect([upstream.traffic.bytesReceived, upstream.requests.length]).toEqual([0, 0])
    }))

  it.each([
    ['for a while', [{ from: '1s', for: '2s' }]],
    [
      'in times that overlap',
      [
        { from: '2s', for: '1s' },
        { from: '1s', for: '1500ms' },
      ],
    ],
    [
      'in times of which one is within the other',
      [
        { from: '1s', for: '2s' },
        { from: '1500ms', for: '500ms' },
      ],
    ],
    [
      'in times that follow each other',
      [
        { from: '1s', for: '1s' },
        { from: '2s', for: '1s' },
      ],
    ],
  ])('is refused %s, and accepted again on the same port', async (_times, refuse) => {
    const clock = createFakeClock()
    await using upstream = await openFaultUpstream({ clock, seed: 1, script: { refuse } })
    const reach = () =>
      new Promise<string>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: upstream.port })
        socket.once('connect', () => resolve('connected'))
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
        socket.once('connect', () => socket.destroy())
      })
    const seen = [await reach()]
    for (const step of [1_000, 1_000, 500, 500]) {
      clock.advance(step)
      await upstream.idle()
      seen.push(await reach())
    }
    const refused = Array.from({ length: 3 }, () => 'ECONNREFUSED')
    expect(seen).toEqual(['connected', ...refused, 'connected'])
  })

  it('is refused to the end where a time without an end begins within another', async () => {
    const clock = createFakeClock()
    const refuse = [{ for: '1s' }, { from: '500ms' }]
    await using upstream = await openFaultUpstream({ clock, seed: 1, script: { refuse } })
    clock.advance(1_000)
    await upstream.idle()
    const socket = connect({ host: '127.0.0.1', port: upstream.port })
    const end = await new Promise((resolve) => {
      socket.once('connect', () => resolve('connected'))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    })
    socket.destroy()
    expect(end).toBe('ECONNREFUSED')
  })

  it('records when the caller disconnects, and stops', () =>
    play(always({ delay: { head: '1m' } }), async ({ client, ask, clock }) => {
      const request = await ask(stream)
      clock.advance(1_500)
      client.close()
      await request.ended
      expect([request.outcome, request.endedAtMs, request.bytesSent]).toEqual(['aborted', 1_500, 0])
    }))

  it('waits for a caller that pauses reading', () =>
    play({ answer: { words: 100_000 } }, async ({ client, ask }) => {
      client.socket.pause()
      const request = await ask(stream)
      expect(request.outcome).toBe('open')
      client.socket.resume()
      await request.ended
      expect(request.outcome).toBe('answered')
    }))
})

describe('TLS', () => {
  const judge = async (script: Parameters<typeof play>[0]) => {
    const clock = createFakeClock()
    await using upstream = await openFaultUpstream({ clock, seed: 1, script })
    return await new Promise<string>((resolve) => {
      const { port, authority = '' } = upstream
      const socket = connectSecurely({ host: '127.0.0.1', port, ca: authority, minVersion: 'TLSv1.2' })
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      socket.once('secureConnect', () => resolve(socket.getProtocol() ?? ''))
      socket.once('secureConnect', () => socket.destroy())
    })
  }

  it.each([
    ['good', '1.2', 'TLSv1.2'],
    ['good', '1.3', 'TLSv1.3'],
    ['good', '1.1', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION|ERR_SSL_UNSUPPORTED_PROTOCOL'],
    ['expired', '1.3', 'CERT_HAS_EXPIRED'],
    ['not-yet-valid', '1.3', 'CERT_NOT_YET_VALID'],
    ['wrong-host', '1.3', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', '1.3', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const)(
    'with a certificate that is %s over TLS %s gives: %s',
    async (certificate, version, outcome) => {
      expect(outcome.split('|')).toContain(await judge({ tls: { certificate, version } }))
    },
  )

  it.each([
    ['garbage', 'ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_WRONG_VERSION_NUMBER'],
    ['reset', 'ECONNRESET'],
    ['close', 'ECONNRESET'],
  ] as const)('with a handshake that ends in %s gives: %s', async (handshake, outcome) => {
    const script = { tls: {}, connections: [{ do: { handshake } }] }
    expect(outcome.split('|')).toContain(await judge(script))
  })

  it('delays the handshake', async () => {
    const clock = createFakeClock()
    const script = { tls: {}, connections: [{ do: { handshake: '5s' } }] }
    await using upstream = await openFaultUpstream({ clock, seed: 1, script })
    const opening = openRawClient(upstream.port, { authority: upstream.authority })
    while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(5_000)
    const client = await opening
    client.send(rawRequest(chatPath, whole))
    await client.until('word-5')
    client.close()
  })

  it.each([
    ['fin', 'fin'],
    ['reset', 'ECONNRESET'],
  ] as const)('can be cut by %s', (by, end) =>
    play({ tls: {}, ...always({ cut: { after: { bytes: 40 }, by } }) }, async ({ client, ask }) => {
      await ask(whole)
      expect(await client.ended).toBe(end)
      expect(bodyOf(client.text)).toHaveLength(40)
    }),
  )
})

describe('rules', () => {
  const statusOf = (number: number) => ({ reply: { status: number } })

  async function statuses(
    rules: NonNullable<Parameters<typeof play>[0]['rules']>,
    asked: readonly (readonly [path: string, body: object, headers?: Record<string, string>])[],
    seed = 7,
  ): Promise<readonly number[]> {
    let seen: readonly number[] = []
    await play(
      { rules },
      async ({ client, upstream, clock }) => {
        for (const [index, [path, body, headers]] of asked.entries()) {
          client.send(rawRequest(path, body, headers))
          await (await upstream.request(index + 1)).ended
          clock.advance(1_000)
        }
        await client.untilBytes(upstream.traffic.bytesSent)
        seen = [...client.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
      },
      seed,
    )
    return seen
  }

  const times = (count: number) => Array.from({ length: count }, () => [chatPath, whole] as const)

  it.each([
    ['the attempt', { attempt: 2 }, [200, 500, 200, 200]],
    ['a run of attempts', { attempt: { from: 2, to: 3 } }, [200, 500, 500, 200]],
    ['every second', { every: 2 }, [200, 500, 200, 500]],
    ['the time', { from: '1s', until: '3s' }, [200, 500, 500, 200]],
  ] as const)('match by %s', async (_name, when, expected) => {
    expect(await statuses([{ when, do: statusOf(500) }], times(4))).toEqual(expected)
  })

  it('match by path, model, stream and credential, and the first matching rule applies', async () => {
    const rules = [
      { when: { path: '*/completions', model: 'gpt-*' }, do: statusOf(501) },
      { when: { stream: true }, do: statusOf(502) },
      { when: { credential: 'secret-b', credential_attempt: 2 }, do: statusOf(503) },
    ]
    const b = { authorization: 'Bearer secret-b' }
    const asked = [
      [chatPath, { ...whole, model: 'gpt-4' }],
      [chatPath, { ...whole, stream: true }],
      ['/v1/messages', whole, b],
      ['/v1/messages', whole, { 'x-api-key': 'secret-a' }],
      ['/v1/messages', whole, b],
      [chatPath, { ...whole, model: 'xgpt-4' }],
    ] as const
    expect(await statuses(rules, asked)).toEqual([501, 502, 200, 200, 503, 200])
  })

  it('match by a chance that depends on the seed', async () => {
    const rules = [{ when: { chance: 0.3 }, do: statusOf(500) }]
    const first = await statuses(rules, times(60), 1)
    expect(await statuses(rules, times(60), 1)).toEqual(first)
    expect(await statuses(rules, times(60), 2)).not.toEqual(first)
    const failures = first.filter((status) => status === 500).length
    expect(failures).toBeGreaterThan(8)
    expect(failures).toBeLessThan(30)
  })
})
