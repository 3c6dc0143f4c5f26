import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Asked, ask } from '../support/ask.ts'
import { until } from '../support/until.ts'
import { openRawUpstream, type RawScript, type RawSpeaker } from './raw-upstream.ts'

const sse = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const megabyte = 'a'.repeat(1_048_576)
const delta = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`
const reply = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
})

async function emit(script: RawScript, { stream = false, more = '' } = {}) {
  await using upstream = await openRawUpstream(script, more)
  const body = { model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] }
  const answer = await ask({ url: upstream.gateway.url, format: 'chat' }, body)
  await until('the connection to the upstream is closed', () => upstream.open() === 0)
  return { answer, taken: upstream.taken() }
}

/** Says it again and again until nobody listens any more. */
async function forever(speaker: RawSpeaker, bytes: string): Promise<void> {
  while (await speaker.say(bytes));
}

function codeOf({ body }: Asked): string | undefined {
  return /"code":"(\w+)"/.exec(body.toString('utf8'))?.[1]
}

function compressed(encoding: string, bytes: Buffer, status = '200 OK'): RawScript {
  return async ({ say, end }) => {
    await say(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    )
    await say(bytes)
    end()
  }
}

const bomb = gzipSync(Buffer.alloc(64 * 1_048_576))

describe('an answer that is compressed although the request did not allow it', () => {
  it.each([
    ['gzip', gzipSync(reply)],
    ['x-gzip', gzipSync(reply)],
    ['BR', brotliCompressSync(reply)],
    ['deflate', deflateSync(reply)],
    ['deflate', deflateRawSync(reply)],
  ])('is accepted in one known encoding: %s', async (encoding, bytes) => {
    const { answer } = await emit(compressed(encoding, bytes))
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined])
    expect(JSON.parse(answer.body.toString())).toMatchObject({ choices: [{ message: { content: 'Hi' } }] })
  })

  it.each([
    ['zstd', zstdCompressSync(reply)],
    ['gzip, gzip', gzipSync(gzipSync(reply))],
    ['gzip, br, gzip, br, gzip, br', gzipSync(bomb)],
    ['rot13', Buffer.from(reply)],
    ['constructor', Buffer.from(reply)],
  ])('is refused and never inflated in another encoding, or in several: %s', async (encoding, bytes) => {
    const { answer } = await emit(compressed(encoding, bytes))
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 502,
      code: 'upstream_bad_response',
    })
    expect(answer.body.toString()).toContain('compressed')
  })

  it.each([
    ['a bomb', bomb],
    ['what is cut', gzipSync(reply).subarray(0, 40)],
    ['what is not what it says', Buffer.from(reply)],
  ])('is refused if it is %s', async (_what, bytes) => {
    const { answer } = await emit(compressed('gzip', bytes))
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 502,
      code: 'upstream_bad_response',
    })
  })

  it.each(['identity', 'IDENTITY', ''])(
    'is accepted if the encoding is %j, which means uncompressed',
    async (encoding) => {
      const { answer } = await emit(compressed(encoding, Buffer.from(reply)))
      expect(answer.status).toBe(200)
    },
  )

  it('is read if it is an error, and its compressed bytes are not forwarded', async () => {
    const error = gzipSync(JSON.stringify({ error: { message: 'no', type: 'invalid_request_error' } }))
    const { answer } = await emit(compressed('gzip', error, '400 Bad Request'))
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body.toString('utf8'))).toMatchObject({ error: { message: 'no' } })
    expect(answer.body.includes(error.subarray(0, 10))).toBe(false)
  })
})

describe('an unbounded answer', () => {
  it.each<readonly [string, number, string, RawScript]>([
    [
      'a header that never ends',
      502,
      'upstream_bad_response',
      async (speaker) => {
        await speaker.say(`${json}x-a: `)
        await forever(speaker, megabyte)
      },
    ],
    [
      'headers that never end',
      502,
      'upstream_bad_response',
      async (speaker) => {
        await speaker.say(json)
        await forever(speaker, 'x-a: b\r\n'.repeat(1_000))
      },
    ],
    [
      'a status line that never ends',
      504,
      'upstream_timeout',
      async (speaker) => {
        await speaker.say('HTTP/1.1 200 ')
        await forever(speaker, megabyte)
      },
    ],
    [
      'interim answers that never end',
      502,
      'upstream_bad_response',
      (speaker) => forever(speaker, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)),
    ],
    [
      'a whole answer that never ends',
      502,
      'upstream_bad_response',
      async (speaker) => {
        await speaker.say(`${json}\r\n{"id":"`)
        await forever(speaker, megabyte)
      },
    ],
    [
      'a chunk whose extension never ends',
      504,
      'upstream_timeout',
      async (speaker) => {
        await speaker.say(`${json}transfer-encoding: chunked\r\n\r\n1;`)
        await forever(speaker, megabyte)
      },
    ],
    ['no HTTP at all', 502, 'upstream_bad_response', (speaker) => forever(speaker, megabyte)],
    [
      'two lengths',
      502,
      'upstream_bad_response',
      async ({ say }) => {
        await say(`${json}content-length: ${reply.length}\r\ncontent-length: 3\r\n\r\n${reply}`)
      },
    ],
    [
      'a length and chunks',
      502,
      'upstream_bad_response',
      async ({ say }) => {
        await say(`${json}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)
      },
    ],
  ])('ends in a clear error: %s', async (_what, status, code, script) => {
    const { answer, taken } = await emit(script, { more: 'timeouts: { headers: 1s, idle: 1s, total: 5s }' })
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status, code })
    if (status === 502) expect(taken).toBeLessThan(96 * 1_048_576)
  })

  it('is truncated after 64 KB if it is an error, and reported by its status', async () => {
    const { answer, taken } = await emit(async (speaker) => {
      await speaker.say('HTTP/1.1 429 Slow\r\ncontent-type: application/json\r\n\r\n')
      await forever(speaker, megabyte)
    })
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
    })
    expect(taken).toBeLessThan(32 * 1_048_576)
  })

  it('is truncated after 16 MB if it is one event', async () => {
    const { answer } = await emit(
      async (speaker) => {
        await speaker.say(`${sse}data: {"a":"`)
        await forever(speaker, megabyte)
      },
      { stream: true },
    )
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 502,
      code: 'upstream_bad_response',
    })
  })

  it('is truncated after 32 MB if it is a stream without any content', async () => {
    const { answer, taken } = await emit(
      async (speaker) => {
        await speaker.say(sse)
        await forever(speaker, `: ${megabyte}\n\n`)
      },
      { stream: true },
    )
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 502,
      code: 'upstream_bad_response',
    })
    expect(taken).toBeLessThan(96 * 1_048_576)
  })

  it('is truncated after 256 MB if it is a stream, with an error as its last event', async () => {
    const { answer, taken } = await emitCounting()
    expect(answer).toEqual({ status: 200, hasError: true, isTerminated: false })
    expect(taken).toBeGreaterThan(256 * 1_048_576)
    expect(taken).toBeLessThan(300 * 1_048_576)
  })

  it('ends at the total timeout if it arrives byte by byte', async () => {
    const { answer } = await emit(
      async ({ say }) => {
        await say(sse)
        for (const byte of delta('Hi').repeat(1_000)) {
          if (!(await say(byte))) return
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      },
      { stream: true, more: 'timeouts: { headers: 1s, idle: 1s, first_content: 1500ms, total: 2s }' },
    )
    expect(codeOf(answer)).toBe('upstream_timeout')
  })
})

/** As above, without keeping what came. */
async function emitCounting() {
  await using upstream = await openRawUpstream(async (speaker) => {
    await speaker.say(sse + delta('Hi'))
    await forever(speaker, `: ${megabyte}\n\n`)
  })
  const response = await fetch(`${upstream.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test-0123456789abcdef', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  let tail = Buffer.alloc(0)
  try {
    for await (const part of response.body ?? [])
      tail = Buffer.concat([tail.subarray(-1_000), part]).subarray(-1_000)
  } catch {
    // The connection is cut, as it must be.
  }
  const text = tail.toString('utf8')
  return {
    answer: {
      status: response.status,
      hasError: text.includes('upstream_bad_response'),
      isTerminated: text.includes('[DONE]'),
    },
    taken: upstream.taken(),
  }
}
