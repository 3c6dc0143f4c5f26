import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { type Asked, ask } from '../support/ask.ts'
import type { BodyFormatId } from '../support/body-formats.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startGateway } from '../support/start-gateway.ts'
import { until } from '../support/until.ts'

const DEPTH = 20_000
const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH)

interface Hostile {
  readonly title: string
  readonly channel: ChannelFormatId
  readonly caller: BodyFormatId
  readonly stream: boolean
  readonly status: number
  readonly type: 'application/json' | 'text/event-stream'
  readonly body: string
  /** The answer to the caller: a fault of the provider's answer, or the provider's own refusal. */
  readonly expected: { readonly status: number; readonly code?: string }
}

const unreadable = { status: 502, code: 'upstream_bad_response' }
/** The provider's own refusal, in its own words where the caller speaks its format. */
const refused = { status: 400 }
const json = { type: 'application/json', status: 200, expected: unreadable } as const
const events = { type: 'text/event-stream', status: 200, stream: true, expected: unreadable } as const

const chatAnswer = (more: string, moreOfMessage = '') =>
  `{"id":"c","object":"chat.completion","model":"m",${more}"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"${moreOfMessage}},"finish_reason":"stop"}]}`

const answers: readonly Hostile[] = [
  {
    ...json,
    title: "a Gemini error whose detail's type is an object that cannot be text",
    channel: 'gemini',
    caller: 'chat',
    stream: false,
    status: 400,
    expected: refused,
    body: '{"error":{"message":"x","details":[{"@type":{"toString":1}}]}}',
  },
  {
    ...json,
    title: 'a Gemini error whose delay is an object that cannot be text',
    channel: 'gemini',
    caller: 'chat',
    stream: false,
    status: 400,
    expected: refused,
    body: '{"error":{"message":"x","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"toString":1}}]}}',
  },
  {
    ...json,
    title: 'a chat error whose path is an object that cannot be text',
    channel: 'chat',
    caller: 'chat',
    stream: false,
    status: 400,
    expected: refused,
    body: '{"detail":[{"loc":[{"toString":1}],"msg":"m"}]}',
  },
  {
    ...json,
    title: 'a chat error whose path is very deep',
    channel: 'chat',
    caller: 'chat',
    stream: false,
    status: 400,
    expected: refused,
    body: `{"detail":[{"loc":[${deep}],"msg":"m"}]}`,
  },
  {
    ...json,
    title: 'a chat error whose metadata are very deep',
    channel: 'chat',
    caller: 'chat',
    stream: false,
    status: 400,
    expected: refused,
    body: `{"error":{"message":"x","metadata":{"a":${deep}}}}`,
  },
  {
    ...json,
    title: 'a whole chat answer with a very deep unknown field, to a caller that streams',
    channel: 'chat',
    caller: 'chat',
    stream: true,
    body: chatAnswer(`"x":${deep},`),
  },
  {
    ...json,
    title: 'a whole response with a very deep unknown field, to a caller that streams',
    channel: 'responses',
    caller: 'responses',
    stream: true,
    body: `{"id":"r","object":"response","status":"completed","model":"m","x":${deep},"output":[{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]}`,
  },
  {
    ...json,
    title: 'a chat answer with very deep likelihoods, to a caller of another format',
    channel: 'gemini',
    caller: 'chat',
    stream: false,
    body: `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Hi"}]},"finishReason":"STOP","logprobsResult":{"chosenCandidates":[{"token":"a","tokenId":${deep},"logProbability":0}]}}]}`,
  },
  {
    ...json,
    title: 'a chat answer with very deep details of its reasoning beside a call',
    channel: 'chat',
    caller: 'messages',
    stream: false,
    body: chatAnswer(
      '',
      `,"reasoning_details":[{"type":"reasoning.text","text":"t","signature":"s","x":${deep}}],"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]`,
    ),
  },
  {
    ...json,
    title: 'a whole answer with a very deep field, translated',
    channel: 'messages',
    caller: 'chat',
    stream: false,
    body: `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"},{"type":"server_tool_use","id":"s","name":"web_search","input":{"a":${deep}}}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`,
  },
  {
    ...events,
    title: 'a stream whose start has a very deep field',
    channel: 'messages',
    caller: 'messages',
    body: `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"x":${deep},"usage":{"input_tokens":1,"output_tokens":1}}}\n\n`,
  },
  {
    ...events,
    title: 'a stream of a response whose call has a name and arguments that cannot be text',
    channel: 'responses',
    caller: 'chat',
    body: [
      { type: 'response.created', response: { id: 'r', object: 'response', model: 'm', output: [] } },
      ...['response.output_item.added', 'response.output_item.done'].map((type) => ({
        type,
        output_index: 0,
        item: { type: 'function_call', name: { toString: 1 }, arguments: { toString: 1 }, input: 'x' },
      })),
      {
        type: 'response.completed',
        response: {
          id: 'r',
          object: 'response',
          model: 'm',
          status: 'completed',
          output: [{ type: 'function_call', name: { toString: 1 }, arguments: { toString: 1 }, input: 'x' }],
        },
      },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  },
  {
    ...events,
    title: 'a chat stream with a very deep field, translated',
    channel: 'chat',
    caller: 'responses',
    body: `data: {"id":"c","object":"chat.completion.chunk","x":${deep},"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n`,
  },
]

/** One answer for every request, and what the log had of it. */
async function ask1({ channel, caller, stream, status, type, body }: Hostile, coding: 'gzip' | 'identity') {
  let open = 0
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': type, 'content-encoding': coding })
    response.end(coding === 'gzip' ? gzipSync(body) : body)
  })
  server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  const origin = `http://127.0.0.1:${address.port}`
  await using gateway = await startGateway(
    `${channelYaml({ format: channel, origin, models: ['m'] })}retry: { attempts: 1 }`,
  )
  const question = {
    model: 'm',
    stream,
    ...(caller === 'responses' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }] }),
    ...(caller === 'messages' ? { max_tokens: 10 } : {}),
  }
  const startedAtMs = performance.now()
  const answer = await ask({ url: gateway.url, format: caller }, question)
  const tookMs = performance.now() - startedAtMs
  const health = await fetch(`${gateway.url}/healthz`)
  server.close()
  server.closeIdleConnections()
  await until('the connection to the upstream is closed', () => open === 0)
  return { answer, tookMs, health: health.status }
}

function codeOf({ body }: Asked): string | undefined {
  return /"code":"(\w+)"/.exec(body.toString('utf8'))?.[1] ?? body.toString('utf8').slice(0, 300)
}

describe.each(['gzip', 'identity'] as const)('sent with the encoding %s', (coding) => {
  it.each(answers)('$title ends only that request, at once', async (hostile) => {
    const { answer, tookMs, health } = await ask1(hostile, coding)
    expect({ status: answer.status, health }).toEqual({ status: hostile.expected.status, health: 200 })
    if (hostile.expected.code !== undefined) expect(codeOf(answer)).toBe(hostile.expected.code)
    expect(tookMs).toBeLessThan(10_000)
  })
})
