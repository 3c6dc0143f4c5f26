import { describe, expect, it } from 'vitest'
import {
  always,
  bodyOf,
  chatPath,
  joinChunks,
  messagesPath,
  play,
  stream,
  whole,
} from '../../../test/support/fault-scene.ts'
import { rawRequest } from '../../../test/support/raw-client.ts'

describe('a fault upstream without faults', () => {
  it.each([
    ['chat', chatPath, stream, 'data: [DONE]\n\n\r\n0\r\n\r\n'],
    ['messages', messagesPath, stream, 'event: message_stop\ndata: {"type":"message_stop"}\n\n\r\n0\r\n\r\n'],
    ['completions', '/v1/completions', { ...stream, prompt: 'x' }, 'data: [DONE]\n\n\r\n0\r\n\r\n'],
  ])('streams %s to a complete end', (_name, path, body, end) =>
    play({}, async ({ client, ask }) => {
      const request = await ask(body, path)
      await client.until(end)
      expect(client.text).toContain('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream')
      expect([...client.text.matchAll(/word-(\d)/g)].map((match) => match[1])).toEqual([
        '1',
        '2',
        '3',
        '4',
        '5',
      ])
      expect(request.outcome).toBe('answered')
    }),
  )

  it.each([
    [chatPath, whole, '"content":"word-1 word-2 word-3 word-4 word-5"'],
    [messagesPath, whole, '"text":"word-1 word-2 word-3 word-4 word-5"'],
    ['/v1/completions', { model: 'm', prompt: 'x' }, '"text":"word-1 word-2 word-3 word-4 word-5"'],
    ['/v1/embeddings', { model: 'm', input: ['a'] }, '"embedding":[1,0,0,0,0,0,0,0]'],
    ['/v1/messages/count_tokens', whole, '{"input_tokens":1}'],
    ['/v1/models', {}, '"id":"fault-model"'],
    ['/v1/nowhere', {}, '"code":"model_not_found"'],
  ])('answers %s', (path, body, part) =>
    play({}, async ({ client, ask }) => {
      await ask(body, path)
      await client.until(part)
      const length = /content-length: (\d+)/.exec(client.text)?.[1]
      expect(bodyOf(client.text)).toHaveLength(Number(length))
    }),
  )

  it('calls a required tool with arguments that match its schema', () =>
    play({}, async ({ client, ask }) => {
      const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
      const tools = [{ name: 'look', input_schema: schema }]
      await ask({ ...whole, tools, tool_choice: { type: 'any' } }, messagesPath)
      await client.until('"stop_reason":"tool_use"')
      expect(client.text).toContain('"name":"look","input":{"city":"demo"}')
    }))

  it('sends its words at the configured pace', () =>
    play({ answer: { words: 5, pace: '15ms' } }, async ({ client, ask, clock, upstream }) => {
      await ask(stream)
      await client.until('word-1')
      const sent = upstream.traffic.bytesSent
      clock.advance(14)
      expect(upstream.traffic.bytesSent).toBe(sent)
      clock.advance(1)
      await client.until('word-2')
      expect(client.text).not.toContain('word-3')
      clock.advance(45)
      await client.until('[DONE]')
    }))

  it('answers several requests on a connection in order, including pipelined ones', () =>
    play({}, async ({ client, upstream }) => {
      client.send(rawRequest(chatPath, whole) + rawRequest(messagesPath, whole))
      const second = await upstream.request(2)
      await client.until('"type":"message"')
      expect([second.connection, second.path]).toEqual([1, messagesPath])
    }))

  it('reads chunked bodies, however the bytes are split', () =>
    play({}, async ({ client, upstream }) => {
      const head = `POST ${chatPath} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`
      const body = JSON.stringify(whole)
      const text = `${head}5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)};a=b\r\n${body.slice(5)}\r\n0\r\nt: 1\r\n\r\n`
      for (const byte of text) client.send(byte)
      expect((await upstream.request(1)).body.toString()).toBe(body)
    }))
})

describe('an error status instead of an answer', () => {
  it.each([
    [
      { error: 'rate-limit', retry_after: { seconds: 2 } },
      'HTTP/1.1 429 Too Many Requests',
      'retry-after: 2\r\n',
    ],
    [{ error: 'rate-limit', retry_after: { ms: 1500 } }, '429', 'retry-after-ms: 1500\r\n'],
    [
      { error: 'rate-limit', retry_after: { date_in: '3s' } },
      '429',
      'retry-after: Fri, 20 Nov 2026 12:00:03 GMT\r\n',
    ],
    [{ error: 'bad-gateway', shape: 'html' }, 'HTTP/1.1 502', 'content-type: text/html\r\n'],
    [{ error: 'internal', shape: 'empty' }, 'HTTP/1.1 500', 'content-length: 0\r\n'],
    [
      { status: 418, body: { a: 1 }, headers: { 'X-Two': ['a', 'b'] } },
      'HTTP/1.1 418',
      'x-two: a\r\nx-two: b\r\n',
    ],
    [{ status: 204 }, 'HTTP/1.1 204 No Content', 'x-request-id: fault-1\r\n\r\n'],
  ] as const)('is sent for %j', (reply, status, part) =>
    play(
      always({
        reply: { ...reply, ...('headers' in reply ? { headers: { 'X-Two': ['a', 'b'] } } : {}) } as never,
      }),
      async ({ client, ask }) => {
        await ask(whole)
        await client.until('\r\n\r\n')
        expect(client.text).toContain(status)
        expect(client.text).toContain(part)
      },
    ),
  )

  it.each([
    [
      'own',
      chatPath,
      '{"error":{"message":"The model is overloaded. Please try again.","type":"overloaded_error"',
    ],
    ['own', messagesPath, '{"type":"error","error":{"type":"overloaded_error"'],
    ['error-text', chatPath, '{"error":"The model is overloaded. Please try again."}'],
    ['object-error', chatPath, '{"object":"error","message":'],
    ['code-message', chatPath, '{"code":"overloaded","message":'],
    ['type-error', chatPath, '{"type":"error","error":{"type":"overloaded_error"'],
    ['detail', chatPath, '{"detail":"The model is overloaded.'],
    ['base-resp', chatPath, '{"base_resp":{"status_code":1529,'],
  ] as const)('is sent inside a 200 in the form %s on %s', (shape, path, part) =>
    play(always({ reply: { status: 200, error: 'overloaded', shape } }), async ({ client, ask }) => {
      await ask(whole, path)
      await client.until(part)
      expect(client.text).toContain('HTTP/1.1 200 OK')
    }),
  )
})

describe('the timing of an answer', () => {
  it('has delays before the headers, the first words and the end', () =>
    play(always({ delay: { head: '2s', content: '20s', end: '1s' } }), async ({ client, ask, clock }) => {
      const request = await ask(stream)
      expect(request.bytesSent).toBe(0)
      clock.advance(2_000)
      await client.until('"role":"assistant"')
      expect(client.text).not.toContain('word-1')
      clock.advance(19_999)
      expect(client.text).not.toContain('word-1')
      clock.advance(1)
      await client.until('[DONE]')
      expect(client.text).not.toContain('\r\n0\r\n')
      clock.advance(1_000)
      await client.until('\r\n0\r\n\r\n')
    }))

  it('has a stall in the middle, with heartbeats', () =>
    play(
      always({ stall: { after: { words: 2 }, for: '30s', heartbeat: { every: '10s' } } }),
      async ({ client, ask, clock }) => {
        await ask(stream)
        await client.until('word-2')
        clock.advance(29_999)
        await client.until(': heartbeat')
        expect(client.text).not.toContain('word-3')
        clock.advance(1)
        await client.until('[DONE]')
        expect(client.text.match(/: heartbeat/g)).toHaveLength(3)
      },
    ))

  it('has a stall until the caller disconnects if no duration is given', () =>
    play(always({ stall: { after: 'headers' } }), async ({ client, ask, clock }) => {
      const request = await ask(stream)
      await client.until('\r\n\r\n')
      clock.advance(86_400_000)
      expect([bodyOf(client.text), request.outcome]).toEqual(['', 'open'])
    }))

  it('can be one byte at a time', () =>
    play(always({ drip: { bytes: 1, every: '1s' } }), async ({ client, ask, clock }) => {
      await ask(whole)
      await client.until('\r\n\r\n')
      clock.advance(3_000)
      await client.until('\r\n\r\n{"i')
      expect(bodyOf(client.text)).toBe('{"i')
    }))

  it('can be endless, until the caller disconnects', () =>
    play(always({ endless: { every: '5ms' } }), async ({ client, ask, clock }) => {
      const request = await ask(stream)
      clock.advance(1_000)
      await client.until('word-5')
      expect(request.bytesSent).toBeGreaterThan(10_000)
      clock.advance(250)
      client.close()
      await request.ended
      expect([request.outcome, request.endedAtMs]).toEqual(['aborted', 1_250])
    }))

  it('can be a burst of all events at once', () =>
    play({ answer: { words: 5, pace: '1s' }, ...always({ burst: true }) }, async ({ client, ask, clock }) => {
      await ask(stream)
      clock.advance(4_000)
      await client.until('[DONE]')
      expect(bodyOf(client.text).match(/(^|\r\n)[0-9a-f]+\r\n/g)).toHaveLength(2)
    }))
})

describe('a cut', () => {
  it.each([
    [{ bytes: 40 }, 'fin', 'fin'],
    [{ bytes: 40 }, 'reset', 'ECONNRESET'],
    [{ bytes: 40 }, 'half-close', 'fin'],
  ] as const)('after %j by %s leaves exactly the expected bytes', (after, by, end) =>
    play(always({ cut: { after, by } }), async ({ client, ask }) => {
      const request = await ask(whole)
      expect(await client.ended).toBe(end)
      expect(bodyOf(client.text)).toHaveLength(40)
      expect(request.outcome).toBe('cut')
    }),
  )

  it.each([
    [{ words: 3 }, 'word-3', 'word-4'],
    [{ events: 2 }, 'word-1', 'word-2'],
    ['content', '"role"', 'word-1'],
    ['terminator', '"finish_reason":"stop"', '[DONE]'],
  ] as const)('after %j of a stream falls between events', (after, last, next) =>
    play(always({ cut: { after, by: 'fin' } }), async ({ client, ask }) => {
      await ask(stream)
      await client.ended
      expect(client.text).toContain(last)
      expect(client.text).not.toContain(next)
      expect(client.text.endsWith('\n\n\r\n')).toBe(true)
    }),
  )

  it('before the headers leaves no bytes at all', () =>
    play(always({ cut: { after: 'request', by: 'reset' } }), async ({ client, ask }) => {
      await ask(stream)
      expect([await client.ended, client.text]).toEqual(['ECONNRESET', ''])
    }))

  it('depends on the seed if the position is a range', async () => {
    const lengthWith = async (seed: number) => {
      let length = 0
      const cut = always({ cut: { after: { bytes: { from: 0, to: 400 } } } })
      await play(
        cut,
        async ({ client, ask }) => {
          await ask(whole)
          await client.ended
          length = bodyOf(client.text).length
        },
        seed,
      )
      return length
    }
    const first = await lengthWith(1)
    expect(await lengthWith(1)).toBe(first)
    expect(await lengthWith(2)).not.toBe(first)
  })
})

describe('events', () => {
  it.each([
    ['invalid-json', 'data: {"choices":[{"index":0,"delta":{"content": oops}}]}\n\n'],
    ['truncated-json', 'data: {"choices":[{"index":0,"del\n\n'],
    ['comment', ': keep-alive\n\n'],
    ['ping', 'data: {"choices":[],"object":"ping"}\n\n'],
    ['unknown-event', 'event: weather\n'],
    ['field-lines', 'id: 41\nretry: 3000\n\n'],
    ['empty-delta', '"delta":{"content":""}'],
    ['empty-choices', '"choices":[]'],
    ['error', 'data: {"error":{"message":"The model is overloaded.'],
    ['late-delta', '"content":"late"'],
    ['wrong-index', '"index":7'],
    ['invalid-utf8', '\xc3\x28\xff'],
  ] as const)('of the kind %s are inserted at their position', (insert, part) =>
    play(always({ events: [{ insert, after: { words: 2 } }] }), async ({ client, ask }) => {
      await ask(stream)
      await client.until('[DONE]')
      const before = client.text.indexOf('word-2')
      const at = client.text.indexOf(part, before)
      expect(at).toBeGreaterThan(before)
      expect(at).toBeLessThan(client.text.indexOf('word-3'))
    }),
  )

  it.each([
    [{ drop: 'terminator' }, '[DONE]', 0],
    [{ drop: 'finish' }, '"finish_reason":"stop"', 0],
    [{ drop: 'usage' }, '"usage":{', 0],
    [{ repeat: 'start' }, '"role":"assistant"', 2],
    [{ repeat: 'terminator', times: 2 }, '[DONE]', 3],
    [{ insert: 'content', after: 'end', times: 3 }, 'word-1', 4],
    [{ insert: 'error', after: { words: 1 }, last: true }, 'word-2', 0],
    [{ insert: 'oversized', bytes: '1MB', after: 'content' }, 'x'.repeat(1024 * 1024), 1],
    [{ insert: 'raw', text: 'data: raw\n\n', after: 'content' }, 'data: raw\n\n', 1],
  ] as const)('are changed by %j', (edit, part, times) =>
    play(always({ events: [edit] }), async ({ client, ask }) => {
      await ask(stream)
      await client.until('\r\n0\r\n\r\n')
      expect(client.text.split(part)).toHaveLength(times + 1)
    }),
  )

  it('are swapped', () =>
    play(always({ events: [{ swap: { words: 2 } }] }), async ({ client, ask }) => {
      await ask(stream)
      await client.until('[DONE]')
      expect(client.text.indexOf('word-3')).toBeLessThan(client.text.indexOf('word-2'))
    }))

  it.each([
    ['missing', chatPath, '"usage":{', 0],
    ['missing', messagesPath, '"usage":{', 0],
    ['negative', chatPath, '"completion_tokens":-5', 1],
    ['negative', messagesPath, '"output_tokens":-5', 2],
    ['huge', chatPath, '"completion_tokens":1000000000000000000', 1],
    ['text', messagesPath, '"output_tokens":"many"', 2],
    ['null', messagesPath, '"usage":null', 2],
  ] as const)('report false usage: %s on %s', (usage, path, part, times) =>
    play(always({ usage }), async ({ client, ask }) => {
      await ask(stream, path)
      await client.until('\r\n0\r\n\r\n')
      expect(client.text.split(part)).toHaveLength(times + 1)
    }),
  )

  it.each(['missing', 'fraction', 'zero'] as const)('report false usage in a whole answer: %s', (usage) =>
    play(always({ usage }), async ({ client, ask }) => {
      await ask(whole)
      await client.until('}')
      const body: Record<string, unknown> = JSON.parse(bodyOf(client.text))
      const lies = { missing: undefined, fraction: 1.5, zero: 0 }
      expect(body['usage']).toEqual(
        usage === 'missing' ? undefined : expect.objectContaining({ completion_tokens: lies[usage] }),
      )
    }),
  )

  it.each([
    ['crlf', '\r\n\r\n\r\n'],
    ['cr', '\r\r\r\n'],
  ] as const)('have lines that end in %s', (ends, part) =>
    play(always({ text: { line_ends: ends } }), async ({ client, ask }) => {
      await ask(stream)
      await client.until(`[DONE]${part}`)
      expect(joinChunks(client.text)).not.toMatch(/[^\r]\n/)
    }),
  )

  it('begin with a byte order mark, and end without a blank line', () =>
    play(always({ text: { byte_order_mark: true, last_blank_line: false } }), async ({ client, ask }) => {
      await ask(stream)
      await client.until('\r\n0\r\n\r\n')
      expect(client.text).toMatch(/\r\n\r\n[0-9a-f]+\r\n\xef\xbb\xbfdata:/)
      expect(client.text).toContain('data: [DONE]\n\r\n0\r\n')
    }))

  it('contain corrupted bytes, the same for the same seed', async () => {
    const startWith = async (seed: number) => {
      let start = ''
      const script = always({ corrupt: { after: { bytes: 5 }, bytes: 3 } })
      await play(
        script,
        async ({ client, ask }) => {
          await ask(whole)
          await client.until('word-5')
          start = bodyOf(client.text).slice(0, 10)
        },
        seed,
      )
      return start
    }
    const first = await startWith(1)
    expect([first.slice(0, 5), first.slice(8)]).toEqual(['{"id"', 'au'])
    expect(first.slice(5, 8)).not.toBe(':"f')
    expect(await startWith(1)).toBe(first)
    expect(await startWith(2)).not.toBe(first)
  })
})
