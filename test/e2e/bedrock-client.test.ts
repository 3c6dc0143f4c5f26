import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Message,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { describe, expect, it } from 'vitest'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import {
  dotPicture,
  openWithText,
  openWithToolCall,
  sentBody,
  weatherCall,
  weatherTool,
} from '../support/client-scene.ts'
import { collect } from '../support/collect.ts'
import { type OpenGateway, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const modelId = 'm'
const messages: Message[] = [{ role: 'user', content: [{ text: 'Hi' }] }]

/** The official client of Bedrock with a key of Headgate, as `AWS_BEARER_TOKEN_BEDROCK` gives it one. */
function bedrockOf({ gateway }: OpenGateway, token = testKey): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    endpoint: gateway.url,
    region: 'us-east-1',
    token: { token },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    // The client's own one speaks HTTP/2 alone.
    requestHandler: new NodeHttpHandler(),
  })
}

const converse = (open: OpenGateway, input: Partial<ConverseCommandInput> = {}) =>
  bedrockOf(open).send(new ConverseCommand({ modelId, messages, ...input }))

async function streamOf(open: OpenGateway, input: Partial<ConverseCommandInput> = {}) {
  const { stream } = await bedrockOf(open).send(new ConverseStreamCommand({ modelId, messages, ...input }))
  if (stream === undefined) throw new Error('no stream')
  return stream
}

function textOf(content: readonly ContentBlock[] | undefined): string {
  return (content ?? []).map(({ text }) => text ?? '').join('')
}

function saidIn(events: readonly ConverseStreamOutput[]): string {
  return events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? '').join('')
}

const toolConfig = {
  tools: [
    {
      toolSpec: {
        name: weatherTool.name,
        description: weatherTool.description,
        inputSchema: { json: weatherTool.schema },
      },
    },
  ],
}

const called = { id: 'c', type: 'function', function: { name: weatherTool.name, arguments: '{}' } }

it('an answer with a call has the stop reason tool_use, although the chat server says "stop"', async () => {
  const message = { role: 'assistant', content: null, tool_calls: [called] }
  const whole = { id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const delta = { role: 'assistant', tool_calls: [{ index: 0, ...called }] }
  const piece = { id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: 'stop' }] }
  const chunks = [`data: ${JSON.stringify(piece)}\n\n`, 'data: [DONE]\n\n']
  await using open = await openGateway({ scripts: [[jsonAnswer(whole), sseAnswer(chunks)]] })
  expect((await converse(open, { toolConfig })).stopReason).toBe('tool_use')
  const events = await collect(await streamOf(open, { toolConfig }))
  expect(events.flatMap(({ messageStop }) => messageStop?.stopReason ?? [])).toEqual(['tool_use'])
})

it('text that is marked for a guardrail is text on a channel without guardrails', async () => {
  await using open = await openWithText('chat', 'Yes.')
  const question: ContentBlock = { guardContent: { text: { text: 'May I?', qualifiers: ['query'] } } }
  await converse(open, {
    system: [{ guardContent: { text: { text: 'Be brief.' } } }],
    messages: [{ role: 'user', content: [{ text: 'I ask:' }, question] }],
  })
  expect(sentBody(open)).toMatchObject({
    messages: [{ content: 'Be brief.' }, { content: [{ text: 'I ask:' }, { text: 'May I?' }] }],
  })
})

describe.each(agentFormats)('the Bedrock client on a channel of the %s format', (format) => {
  const openWith = (text: string) => openWithText(format, text)

  it('Converse gets a whole answer with usage', async () => {
    await using open = await openWith('Hello ✓')
    const answer = await converse(open, {
      system: [{ text: 'Be brief.' }],
      inferenceConfig: { maxTokens: 50 },
    })
    expect(textOf(answer.output?.message?.content)).toBe('Hello ✓')
    expect(answer).toMatchObject({
      stopReason: 'end_turn',
      usage: { inputTokens: 7, outputTokens: 3, totalTokens: 14 },
    })
    expect(answer.usage?.cacheReadInputTokens).toBe(4)
    expect(answer.metrics?.latencyMs).toBeGreaterThanOrEqual(0)
    expect(answer.$metadata.requestId).toMatch(/\w/)
    expect(JSON.stringify(sentBody(open))).toContain('Be brief.')
  })

  it('ConverseStream gets events in their order', async () => {
    await using open = await openWith('A longer answer that comes in pieces.')
    const events = await collect(await streamOf(open))
    expect(saidIn(events)).toBe('A longer answer that comes in pieces.')
    const names = events.flatMap((event) => Object.keys(event))
    expect([names[0], ...names.slice(-3)]).toEqual([
      'messageStart',
      'contentBlockStop',
      'messageStop',
      'metadata',
    ])
    expect(events.at(-2)?.messageStop?.stopReason).toBe('end_turn')
    expect(events.at(-1)?.metadata?.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 })
  })

  it.each(['whole', 'streamed'])('calls a tool and reports its result, %s', async (way) => {
    const words = 'It is 20 degrees in Wien.'
    await using open = await openWithToolCall(format, words)
    const said = way === 'whole' ? await converse(open, { toolConfig }) : undefined
    const content =
      said === undefined
        ? joinCall(await collect(await streamOf(open, { toolConfig })))
        : said.output?.message?.content
    expect(content).toEqual([{ toolUse: { toolUseId: 'call_1', name: 'weather', input: { city: 'Wien' } } }])
    const result: ContentBlock = { toolResult: { toolUseId: 'call_1', content: [{ json: { degrees: 20 } }] } }
    const told: Message[] = [...messages, { role: 'assistant', content }, { role: 'user', content: [result] }]
    const answer = await converse(open, { messages: told, toolConfig })
    expect(textOf(answer.output?.message?.content)).toBe(words)
    expect(String(open.upstreams[0]?.requests[1]?.body)).toContain('degrees')
  })

  it('sends images, documents and a forced tool', async () => {
    await using open = await openGateway({
      format,
      scripts: [(request) => answerStrictly(format, request, { calls: [weatherCall] })],
      ...(format === 'chat' ? {} : { provider: 'anthropic', upstreamModel: 'claude-sonnet-4-5' }),
    })
    const shown: Message[] = [
      {
        role: 'user',
        content: [
          { text: 'What is it?' },
          { image: { format: 'png', source: { bytes: Buffer.from(dotPicture, 'base64') } } },
          ...(format === 'chat'
            ? []
            : [
                {
                  document: {
                    format: 'pdf' as const,
                    name: 'Paper',
                    source: { bytes: Buffer.from('%PDF-1.4') },
                  },
                },
              ]),
        ],
      },
    ]
    await converse(open, {
      messages: shown,
      toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'weather' } } },
    })
    const sent = JSON.stringify(sentBody(open))
    expect(sent).toContain(dotPicture)
    if (format === 'messages') expect(sent).toContain(Buffer.from('%PDF-1.4').toString('base64'))
    expect(sentBody(open)['tool_choice']).toMatchObject(
      format === 'chat' ? { function: { name: 'weather' } } : { type: 'tool', name: 'weather' },
    )
  })

  it('a truncated stream throws, and has no messageStop', async () => {
    await using open = await openGateway({
      format,
      scripts: [
        (request) => {
          const answer = answerStrictly(format, request, { text: 'one two three four five six' })
          return { ...answer, chunks: (answer.chunks ?? []).slice(0, 6), ending: 'reset' }
        },
      ],
      more: 'retry: { attempts: 1 }\n',
    })
    const seen: ConverseStreamOutput[] = []
    const reading = async () => {
      for await (const event of await streamOf(open)) seen.push(event)
    }
    await expect(reading()).rejects.toMatchObject({ name: 'ModelStreamErrorException' })
    expect(saidIn(seen)).not.toBe('')
    expect(seen.some(({ messageStop }) => messageStop !== undefined)).toBe(false)
  })

  it('can disconnect in the middle of a stream', async () => {
    await using open = await openGateway({
      format,
      scripts: [
        (request) => {
          const answer = answerStrictly(format, request, { text: 'one two three four five six' })
          return { ...answer, chunks: (answer.chunks ?? []).slice(0, 6), ending: 'hang' }
        },
      ],
    })
    const leaving = new AbortController()
    const { stream } = await bedrockOf(open).send(new ConverseStreamCommand({ modelId, messages }), {
      abortSignal: leaving.signal,
    })
    const iterator = stream?.[Symbol.asyncIterator]()
    await iterator?.next()
    leaving.abort()
    const request = await open.upstreams[0]?.request(0)
    await request?.closed
    expect(request?.abortedAtMs).toBeGreaterThan(0)
    await iterator?.return?.()
  })
})

/** The calls of a stream, as its events add up. */
function joinCall(events: readonly ConverseStreamOutput[]): ContentBlock[] {
  const start = events.find(({ contentBlockStart }) => contentBlockStart !== undefined)?.contentBlockStart
    ?.start
  const input = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.toolUse?.input ?? '').join('')
  const { toolUseId, name } = start?.toolUse ?? {}
  return [{ toolUse: { toolUseId, name, input: JSON.parse(input) } }]
}

describe('the Bedrock client', () => {
  const usage = { input_tokens: 5, output_tokens: 4 }

  it('gets reasoning with its signature and returns it, and marks content to be cached', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Yes.' },
    ]
    const message = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'end_turn',
      usage,
    }
    await using open = await openGateway({
      format: 'messages',
      provider: 'anthropic',
      upstreamModel: 'claude-sonnet-4-5',
      scripts: [jsonAnswer(message)],
    })
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    const asked = {
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' as const } }],
      additionalModelRequestFields: { thinking },
      inferenceConfig: { maxTokens: 4000 },
    }
    const answer = await converse(open, asked)
    const said = answer.output?.message?.content ?? []
    expect(said[0]?.reasoningContent?.reasoningText?.text).toBe('Hm.')
    expect(textOf(said)).toBe('Yes.')
    const first = sentBody(open)
    expect(first).toMatchObject({ thinking, max_tokens: 4000 })
    expect(JSON.stringify(first['system'])).toContain('cache_control')
    await converse(open, {
      ...asked,
      messages: [...messages, { role: 'assistant', content: said }, ...messages],
    })
    expect(JSON.stringify(sentBody(open, 1)['messages'])).toContain('"signature":"c2ln"')
  })

  it('gets structured output and streams from a Gemini channel', async () => {
    const part = (text: string, more = {}) => ({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
    })
    const frame = (text: string, more = {}) => `data: ${JSON.stringify(part(text, more))}\r\n\r\n`
    await using open = await openGateway({
      format: 'gemini',
      scripts: [
        [
          jsonAnswer(part('{"n":4}', { finishReason: 'STOP' })),
          sseAnswer([frame('Hel'), frame('lo', { finishReason: 'STOP' })]),
        ],
      ],
    })
    const schema = JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } } })
    const outputConfig = {
      textFormat: { type: 'json_schema' as const, structure: { jsonSchema: { schema } } },
    }
    const answer = await converse(open, { outputConfig })
    expect(JSON.parse(textOf(answer.output?.message?.content))).toEqual({ n: 4 })
    expect(sentBody(open)).toMatchObject({
      generationConfig: { responseMimeType: 'application/json' },
    })
    expect(saidIn(await collect(await streamOf(open)))).toBe('Hello')
  })

  it('calls a channel of its own format, with the fields that only this format has', async () => {
    const reply = {
      output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 },
      metrics: { latencyMs: 9 },
      additionalModelResponseFields: { a: 1 },
    }
    await using open = await openGateway({ format: 'converse', scripts: [jsonAnswer(reply)] })
    const answer = await converse(open, {
      additionalModelRequestFields: { own: 1 },
      additionalModelResponseFieldPaths: ['/a'],
      performanceConfig: { latency: 'optimized' },
      inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.5, stopSequences: ['x'] },
    })
    expect(textOf(answer.output?.message?.content)).toBe('Hello')
    expect(answer.additionalModelResponseFields).toEqual({ a: 1 })
    expect(open.upstreams[0]?.requests[0]?.path).toBe('/model/m/converse')
    expect(sentBody(open)).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      additionalModelRequestFields: { own: 1 },
      additionalModelResponseFieldPaths: ['/a'],
      performanceConfig: { latency: 'optimized' },
      inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.5, stopSequences: ['x'] },
    })
  })

  it('may not choose a guardrail for a channel of its format', async () => {
    await using open = await openGateway({
      format: 'converse',
      provider: 'bedrock',
      scripts: [jsonAnswer({})],
    })
    const guardrailConfig = { guardrailIdentifier: 'g', guardrailVersion: '1' }
    expect(await refusalOf(converse(open, { guardrailConfig }))).toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining('guardrail'),
    })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('accepts ARNs as model names', async () => {
    const name = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.x-v1:0'
    await using open = await openGateway({
      models: [name],
      scripts: [(request) => answerStrictly('chat', request, { text: 'Hi.' })],
    })
    const answer = await converse(open, { modelId: name })
    expect(textOf(answer.output?.message?.content)).toBe('Hi.')
  })

  it('gets errors as exceptions with their names', async () => {
    await using open = await openGateway({
      scripts: [jsonAnswer({ error: { message: 'slow down' } }, 429)],
      more: 'retry: { attempts: 1 }\n',
    })
    const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } })
    expect(await refusalOf(converse(open))).toMatchObject({ name: 'ThrottlingException', ...status(429) })
    expect(await refusalOf(converse(open, { modelId: 'none' }))).toMatchObject({
      name: 'ResourceNotFoundException',
      message: expect.stringContaining('"none"'),
      ...status(404),
    })
    expect(await refusalOf(converse(open, { messages: [] }))).toMatchObject({
      name: 'ValidationException',
      ...status(400),
    })
    const stranger = bedrockOf(open, 'wrong-key-0123456789').send(new ConverseCommand({ modelId, messages }))
    expect(await refusalOf(stranger)).toMatchObject({ name: 'UnrecognizedClientException', ...status(401) })
    expect(await refusalOf(streamOf(open))).toMatchObject({ name: 'ThrottlingException' })
  })
})
