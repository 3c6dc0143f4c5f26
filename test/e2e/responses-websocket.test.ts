import OpenAI from 'openai'
import { ResponsesWebSocketSession } from 'openai/lib/responses/responses-websocket-session'
import type {
  Response,
  ResponsesClientEvent,
  ResponsesServerEvent,
} from 'openai/resources/responses/responses'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { openGateway } from '../support/open-gateway.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { openSocket } from '../support/socket-client.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { createToolRounds, finalWords, weatherOf } from '../support/tool-rounds.ts'

const formats = ['chat', 'messages', 'gemini', 'responses'] as const
const tools = [
  {
    type: 'function' as const,
    name: 'look_up',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: false,
  },
]

async function open(format: (typeof formats)[number], more = '') {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(createToolRounds(format)))
  const yaml = channelYaml({ name: 'c', format, origin: upstream.origin, models: ['m'] })
  const gateway = cleanup.use(await startGateway(yaml + more))
  const opened = cleanup.move()
  return { upstream, gateway, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

type Create = Extract<ResponsesClientEvent, { type: 'response.create' }>

/** Creates a response by the official client. */
async function create(client: ResponsesWS, body: Omit<Create, 'type'>): Promise<Response> {
  const types: string[] = []
  client.send({ type: 'response.create', ...body })
  for await (const record of client.stream()) {
    if (record.type === 'error') throw record.error
    if (record.type === 'close') throw new Error('closed before the end')
    if (record.type !== 'message') continue
    const event: ResponsesServerEvent = record.message
    types.push(event.type)
    if (event.type !== 'response.completed') continue
    expect(types[0]).toBe('response.created')
    return event.response
  }
  throw new Error('no end')
}

function resultsOf({ output }: Response) {
  return output.flatMap((item) =>
    item.type === 'function_call'
      ? [
          {
            type: 'function_call_output' as const,
            call_id: item.call_id,
            output: weatherOf(JSON.parse(item.arguments).city),
          },
        ]
      : [],
  )
}

function wordsOf({ output }: Response): string {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  return parts.map((part) => (part.type === 'output_text' ? part.text : '')).join('')
}

describe.each(formats)('the official client over WebSocket, on a channel of the %s format', (format) => {
  it.each([false, true])('continues from the previous response, stored: %s', async (store) => {
    await using bench = await open(format)
    const openai = new OpenAI({ baseURL: `${bench.gateway.url}/v1`, apiKey: testKey })
    const client = new ResponsesWS(openai)
    try {
      const body = { model: 'm', tools, store }
      const first = await create(client, { ...body, input: 'Weather?' })
      const second = await create(client, {
        ...body,
        previous_response_id: first.id,
        input: resultsOf(first),
      })
      expect(second.previous_response_id).toBe(first.id)
      const third = await create(client, {
        ...body,
        previous_response_id: second.id,
        input: resultsOf(second),
      })
      expect(wordsOf(third)).toBe(finalWords)
      expect([first, second, third]).toMatchObject([{ store }, { store }, { store }])
    } finally {
      client.close()
    }
    expect(bench.upstream.requests).toHaveLength(3)
  })
})

describe('responses without storage', () => {
  it('are known only to their own connection', async () => {
    await using bench = await open('chat')
    await using client = await openSocket(bench.gateway.url)
    client.send({ type: 'response.create', model: 'm', input: 'Weather?', store: false })
    const { response } = await client.next('response.completed')
    await using other = await openSocket(bench.gateway.url)
    const previous_response_id = (response as { id: string }).id
    other.send({ type: 'response.create', model: 'm', input: 'And?', previous_response_id, store: false })
    expect(await other.next('error')).toMatchObject({
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    })
    // The connection goes on.
    other.send({ type: 'response.create', model: 'm', input: 'Weather?' })
    await other.next('response.completed')
  })

  it('can start with input that is prepared and generates nothing', async () => {
    await using bench = await open('chat')
    await using client = await openSocket(bench.gateway.url)
    const body = { type: 'response.create', model: 'm', store: false }
    client.send({ ...body, input: 'The weather of towns.', generate: false })
    const prepared = await client.next('response.completed')
    expect(prepared).toMatchObject({ response: { status: 'completed', output: [], store: false } })
    expect(bench.upstream.requests).toHaveLength(0)
    const { id } = prepared['response'] as { id: string }
    client.send({ ...body, input: 'Which?', previous_response_id: id })
    await client.next('response.completed', 2)
    const { messages } = JSON.parse(String(bench.upstream.requests[0]?.body))
    expect(messages.map((one: { content: unknown }) => one.content)).toEqual([
      'The weather of towns.',
      'Which?',
    ])
  })
})

it('a client like Codex is served, and its feature header does not reach the provider', async () => {
  await using bench = await open('responses')
  await using client = await openSocket(bench.gateway.url, {
    headers: {
      'openai-beta': 'responses_websockets=2026-02-06',
      'user-agent': 'codex_cli_rs/0.169.0',
      originator: 'codex_cli_rs',
      session_id: 'f7a0',
    },
  })
  client.send({
    type: 'response.create',
    model: 'm',
    instructions: 'You are a coding agent.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }],
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'f7a0',
  })
  await client.next('response.completed')
  const request = bench.upstream.requests[0]
  expect(request?.headers).not.toHaveProperty('openai-beta')
  expect(request?.headers).not.toHaveProperty('sec-websocket-key')
  const body = JSON.parse(String(request?.body))
  expect(body).toMatchObject({ stream: true, store: false, prompt_cache_key: 'f7a0' })
  expect(body).not.toHaveProperty('type')
})

it('each request has a separate row with its cost, and the connection has none', async () => {
  await using bench = await open(
    'chat',
    'models: { m: { targets: [c/m], price: { input: 1, output: 2 } } }\n',
  )
  await using client = await openSocket(bench.gateway.url)
  client.send({ type: 'response.create', model: 'm', input: 'Weather?' })
  client.send({ type: 'response.create', model: 'unknown', input: 'Weather?' })
  client.send({ type: 'response.create', model: 'm', input: 'Weather?' })
  await client.next('error')
  await expect.poll(() => client.events.filter(({ type }) => type === 'response.completed').length).toBe(2)
  const admin = createAskAdmin(bench.gateway.url)
  await expect
    .poll(async () => (await admin('GET', '/requests?limit=10')).body)
    .toMatchObject({
      data: [
        { format: 'responses', status: 200, model: 'm', charged_usd: expect.any(Number) },
        { format: 'responses', status: 404, error: 'model_not_found' },
        { format: 'responses', status: 200, model: 'm', charged_usd: expect.any(Number) },
      ],
    })
})

it.each(['chat', 'messages', 'responses'] as const)(
  'a broken stream of a %s channel is one answer, and the next request gets its own',
  async (format) => {
    const { frames } = sampleStreams[format]
    const broken = sseAnswer(frames.slice(0, -4), 'half-close')
    await using bench = await openGateway({
      format,
      more: 'retry: { attempts: 1 }\n',
      scripts: [[broken, sseAnswer(frames)]],
    })
    const socket = new ResponsesWS(new OpenAI({ baseURL: `${bench.gateway.url}/v1`, apiKey: testKey }))
    try {
      const session = new ResponsesWebSocketSession(socket, {
        maxLanes: 1,
        maxBufferedEvents: 99,
        maxBufferedBytes: 1e6,
      })
      const lane = session.lane('one')
      const answers: Response[] = []
      await new Promise<void>((opened) => socket.socket.on('open', opened))
      for (const input of ['First', 'Second']) {
        lane.create({ model: 'm', input })
        answers.push(await lane.finalResponse())
      }
      expect(answers).toMatchObject([
        { status: 'failed', error: { code: 'upstream_disconnected' } },
        { status: 'completed' },
      ])
    } finally {
      socket.close()
    }
  },
)
