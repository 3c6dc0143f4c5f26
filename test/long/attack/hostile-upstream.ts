// An upstream that answers as its model's name says: too deep, too many, too large, cut, compressed.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

export interface HostileUpstream {
  readonly origin: string
  close(): void
}

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const CHOICE = '{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}'
const ARGUMENT_PIECE = 'x'.repeat(32 * 1024)
const MB = 1024 * 1024

/** One answer: status, content type, body. */
type Fixed = readonly [status: number, type: 'json' | 'event-stream', body: string]

/** Answers that are small before they are compressed. */
const fixedAnswers: Readonly<Record<string, Fixed>> = {
  'type-object': [400, 'json', '{"error":{"message":"x","details":[{"@type":{"toString":1}}]}}'],
  'delay-object': [
    400,
    'json',
    '{"error":{"message":"x","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"toString":1}}]}}',
  ],
  'loc-object': [400, 'json', '{"detail":[{"loc":[{"toString":1}],"msg":"m"}]}'],
  'loc-deep': [400, 'json', `{"detail":[{"loc":[${DEEP}],"msg":"m"}]}`],
  'unknown-deep': [200, 'json', `{"id":"c","object":"chat.completion","x":${DEEP},"choices":[${CHOICE}]}`],
  'logprobs-deep': [
    200,
    'json',
    `{"id":"c","object":"chat.completion","choices":[{"index":0,"logprobs":{"content":[{"token":"a","logprob":-1,"top_logprobs":${DEEP}}]},"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`,
  ],
  'reasoning-deep': [
    200,
    'json',
    `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi","reasoning_details":[{"type":"reasoning.encrypted","data":"x","more":${DEEP}}],"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
  ],
  'start-deep': [
    200,
    'event-stream',
    `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","x":${DEEP},"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`,
  ],
  'not-json': [
    200,
    'event-stream',
    'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"cho\n\n',
  ],
  'control-error': [
    400,
    'json',
    '{"error":{"message":"evil\\u0000\\u001b[31m\\r\\nSet-Cookie: a=b\\u202e","type":"invalid_request_error"}}',
  ],
  'gzip-bomb': [200, 'json', `{"x":"${'0'.repeat(100 * MB)}"}`],
}

type Live = (response: ServerResponse) => Promise<void>

/** Streams that go on as long as they are read, up to their size. */
const liveAnswers: Readonly<Record<string, Live>> = {
  'huge-arguments': async (response) => {
    await say(
      response,
      callEvent(0, { id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }),
    )
    for (let bytes = 0; bytes < 110 * MB; bytes += ARGUMENT_PIECE.length) {
      await say(response, callEvent(0, { function: { arguments: ARGUMENT_PIECE } }))
    }
    response.end(
      `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
    )
  },
  'many-calls': async (response) => {
    for (let index = 0; index < 50_000; index += 100) {
      let text = ''
      for (let call = index; call < index + 100; call += 1) {
        text += callEvent(call, {
          id: `c${call}`,
          type: 'function',
          function: { name: 'f', arguments: '{}' },
        })
      }
      await say(response, text)
    }
    response.end(
      `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
    )
  },
  'one-word-and-reset': async (response) => {
    await say(response, 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')
    response.socket?.resetAndDestroy()
  },
  dripping: async (response) => {
    for (let count = 0; count < 20; count += 1) {
      await say(response, ':')
      await wait(200)
    }
    response.end('\n\n')
  },
  'endless-text': async (response) => {
    const text = `data: {"choices":[{"index":0,"delta":{"content":"${'a'.repeat(1000)}"}}]}\n\n`.repeat(60)
    for (let count = 0; count < 1_000; count += 1) await say(response, text)
    response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  },
}

export const hostileModels = [...Object.keys(fixedAnswers), ...Object.keys(liveAnswers)]

const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
const compressed = new Map<string, Buffer>()

/** The name of the answer stands in the path or the body, with the encoding behind it: `loc-deep.gzip`. */
export async function openHostileUpstream(): Promise<HostileUpstream> {
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    void readText(request).then((body) => answer(`${request.url} ${body}`, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function answer(asked: string, response: ServerResponse): Promise<void> {
  const name = hostileModels.find((model) => asked.includes(model))
  if (name === undefined) return void response.writeHead(404).end()
  const fixed = fixedAnswers[name]
  if (fixed !== undefined) return answerFixed(name, fixed, asked, response)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await liveAnswers[name]?.(response)
}

function answerFixed(
  name: string,
  [status, type, body]: Fixed,
  asked: string,
  response: ServerResponse,
): void {
  const encoding = findEncoding(name, asked)
  const contentType = type === 'json' ? 'application/json' : 'text/event-stream'
  if (encoding === undefined)
    return void response.writeHead(status, { 'content-type': contentType }).end(body)
  const key = `${name}.${encoding}`
  const bytes = compressed.get(key) ?? encodings[encoding](body)
  compressed.set(key, bytes)
  response.writeHead(status, { 'content-type': contentType, 'content-encoding': encoding }).end(bytes)
}

function findEncoding(name: string, asked: string): keyof typeof encodings | undefined {
  if (name === 'gzip-bomb' || asked.includes(`${name}.gzip`)) return 'gzip'
  if (asked.includes(`${name}.deflate`)) return 'deflate'
  return asked.includes(`${name}.br`) ? 'br' : undefined
}

function callEvent(index: number, call: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index, ...call }] } }] })}\n\n`
}

/** Waits for room; throws nothing where the gateway has closed: the next write then does nothing. */
async function say(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return
  await new Promise<void>((resolve) => {
    const finish = () => {
      response.off('drain', finish).off('close', finish)
      resolve()
    }
    response.on('drain', finish).on('close', finish)
  })
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1').slice(0, 4_096)
}
