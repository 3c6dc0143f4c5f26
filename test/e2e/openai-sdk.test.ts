import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { ParsingToolFunction } from 'openai/lib/RunnableFunction'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { finalText, markPayload, writtenContent } from '../support/agent/agent-script.ts'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { openAgentUpstream } from '../support/agent-upstream.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { collect } from '../support/collect.ts'
import { openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }

describe.each(agentFormats)('the OpenAI SDK on a channel of the %s format', (format) => {
  const openWith = (text: string, models: readonly string[] = []) =>
    openGateway({ format, models, scripts: [(request) => answerStrictly(format, request, { text })] })

  it('gets a whole completion with usage, request id and the channel that answered', async () => {
    await using open = await openWith('Hello ✓')
    const call = openaiOf(open).chat.completions.create({ model: 'm', messages, temperature: 0.5 })
    const { data, response } = await call.withResponse()
    const { _request_id: requestId } = await call
    expect(data.choices).toHaveLength(1)
    expect(data.choices[0]).toMatchObject({
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Hello ✓' },
    })
    expect(data.object).toBe('chat.completion')
    expect(data.usage).toMatchObject({ ...usage, prompt_tokens_details: { cached_tokens: 4 } })
    expect(requestId).toMatch(/\S/)
    expect(response.headers.get('x-request-id')).toBe(requestId)
    expect(response.headers.get('x-headgate-channel')).toBe('channel-1')
    expect(response.headers.get('x-headgate-model')).toBe('m')
    expect(response.headers.get('x-headgate-attempts')).toBe('1')
  })

  it('streams chunks that each have choices, with one usage chunk at the end on request', async () => {
    await using open = await openWith('A longer answer that comes in pieces.')
    const stream = await openaiOf(open).chat.completions.create({
      model: 'm',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await collect(stream)
    expect(chunks.every(({ choices }) => Array.isArray(choices))).toBe(true)
    expect(textOf(chunks)).toBe('A longer answer that comes in pieces.')
    expect(chunks.filter((chunk) => chunk.usage != null)).toHaveLength(1)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage })
  })

  it('streams without usage unless it requests usage, though the gateway learns it', async () => {
    await using open = await openWith('Unmeasured for the caller.')
    const stream = await openaiOf(open).chat.completions.create({ model: 'm', messages, stream: true })
    const chunks = await collect(stream)
    expect(textOf(chunks)).toBe('Unmeasured for the caller.')
    expect(chunks.filter((chunk) => chunk.usage != null || chunk.choices.length === 0)).toEqual([])
    const asked = JSON.parse(String(open.upstreams[0]?.requests[0]?.body))
    if (format === 'chat') expect(asked.stream_options).toEqual({ include_usage: true })
  })

  it('merges a stream with its own helper', async () => {
    await using open = await openWith('Folded by the client.')
    const pieces: string[] = []
    const stream = openaiOf(open).chat.completions.stream({
      model: 'm',
      messages,
      stream_options: { include_usage: true },
    })
    stream.on('content', (piece) => pieces.push(piece))
    const whole = await stream.finalChatCompletion()
    expect(whole.choices[0]?.message.content).toBe('Folded by the client.')
    expect(whole.choices[0]?.finish_reason).toBe('stop')
    expect(whole.usage).toMatchObject(usage)
    expect(pieces.length).toBeGreaterThan(1)
  })

  it('parses an answer by a schema that reached the channel', async () => {
    const answer = JSON.stringify({ city: 'Paris', people: 2 })
    await using open = await openWith(answer)
    const schema = z.object({ city: z.string(), people: z.int() })
    const completion = await openaiOf(open).chat.completions.parse({
      model: 'm',
      messages,
      response_format: zodResponseFormat(schema, 'place'),
    })
    expect(completion.choices[0]?.message.parsed).toEqual({ city: 'Paris', people: 2 })
    const asked = JSON.parse(String(open.upstreams[0]?.requests[0]?.body))
    const sent =
      format === 'chat' ? asked.response_format.json_schema.schema : asked.output_config.format.schema
    expect(sent).toMatchObject({ properties: { city: { type: 'string' } }, required: ['city', 'people'] })
  })

  it.each([false, true])('runs parallel tool calls to the end, streamed: %s', async (isStream) => {
    await using run = await openToolRun()
    const client = new OpenAI({ baseURL: `${run.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const body = { model: 'm', messages, tools: run.tools }
    const runner = isStream
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body)
    expect(await runner.finalContent()).toBe(finalText)
    expect(run.written).toEqual([{ path: 'c', content: writtenContent(['alpha "1"', 'beta \\ 2']) }])
    expect(run.upstream.exchanges.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(run.upstream.exchanges[1]?.conversation?.rounds[0]?.results).toHaveLength(2)
  })

  async function openToolRun() {
    await using cleanup = new AsyncDisposableStack()
    const upstream = cleanup.use(await openAgentUpstream(format, { read: ['a', 'b'], write: 'c' }))
    const gateway = cleanup.use(
      await startGateway(channelYaml({ format, origin: upstream.origin, models: ['m'] })),
    )
    const written: unknown[] = []
    const files: Readonly<Record<string, string>> = {
      a: markPayload('alpha "1"'),
      b: markPayload('beta \\ 2'),
    }
    const tools = [
      tool('read_file', ['path'], ({ path }) => files[String(path)] ?? 'missing'),
      tool('write_file', ['path', 'content'], (input) => {
        written.push(input)
        return 'ok'
      }),
    ]
    const open = cleanup.move()
    return { url: gateway.url, upstream, tools, written, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }

  it('lists and retrieves models, and gets 404 for an unknown one', async () => {
    await using open = await openWith('', ['other/model'])
    const client = openaiOf(open)
    const listed = await collect(client.models.list())
    expect(listed.map(({ id }) => id).sort()).toEqual(['m', 'other/model'])
    expect(listed[0]).toMatchObject({ object: 'model', supported_endpoint_types: ['openai', 'anthropic'] })
    expect(await client.models.retrieve('m')).toMatchObject({ id: 'm', object: 'model' })
    expect(await client.models.retrieve('other/model')).toMatchObject({ id: 'other/model' })
    const refusal = await refusalOf(client.models.retrieve('nowhere'))
    expect(refusal).toBeInstanceOf(OpenAI.NotFoundError)
    expect(refusal).toMatchObject({ code: 'model_not_found', param: 'model' })
  })
})

type Input = Readonly<Record<string, unknown>>

function tool(name: string, names: readonly string[], run: (input: Input) => string) {
  return new ParsingToolFunction<Input>({
    name,
    description: `The tool ${name}`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(names.map((each) => [each, { type: 'string' as const }])),
      required: [...names],
    },
    parse: (text) => JSON.parse(text),
    function: run,
  })
}

function textOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
}
