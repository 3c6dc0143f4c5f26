import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import { type DemoUpstream, openDemoUpstream } from './demo-upstream.ts'

let demo: DemoUpstream
let client: OpenAI

/** The system's clock with its delays a hundredth as long. */
const hastyClock: Clock = {
  ...systemClock,
  startTimer: (delayMs, fire) => systemClock.startTimer(delayMs / 100, fire),
}

beforeAll(async () => {
  demo = await openDemoUpstream({ clock: hastyClock })
  client = new OpenAI({ baseURL: demo.baseUrl, apiKey: 'none', maxRetries: 0 })
})

afterAll(() => demo.close())

const model = 'demo-chat'
const ask = (content: string) => [{ role: 'user' as const, content }]
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
    },
  },
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

describe('the demo upstream with the official SDK', () => {
  it('returns a whole answer, echoes the question and counts tokens', async () => {
    const reply = await client.chat.completions.create({ model, messages: ask('Is this on?') })
    expect(reply.choices[0]?.message.content).toContain('Is this on?')
    expect(reply.choices[0]?.finish_reason).toBe('stop')
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = reply.usage ?? {}
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
    expect(completion_tokens).toBeGreaterThan(10)
  })

  it('streams the same words one at a time, with usage only on request', async () => {
    const messages = ask('How do I make a key?')
    const whole = await client.chat.completions.create({ model, messages })
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await collect(stream)
    const words = chunks.flatMap((chunk) => chunk.choices[0]?.delta.content || [])
    expect(words.join('')).toBe(whole.choices[0]?.message.content)
    expect(words.length).toBe(whole.usage?.completion_tokens)
    expect(chunks.at(-1)?.usage).toEqual(whole.usage)
    const silent = await collect(await client.chat.completions.create({ model, messages, stream: true }))
    expect(silent.some((chunk) => chunk.usage)).toBe(false)
  })

  it('stops at the token limit with the right finish reason, and at a stop sequence', async () => {
    const cut = await client.chat.completions.create({ model, messages: ask('x'), max_tokens: 3 })
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'Hello from the' } })
    expect(cut.usage?.completion_tokens).toBe(3)
    const stopped = await client.chat.completions.create({ model, messages: ask('x'), stop: ' demo' })
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'Hello from the' },
    })
  })

  it('calls a tool named in the question and uses its result, as in an agent loop', async () => {
    const seen: unknown[] = []
    const run = client.chat.completions.runTools({
      model,
      messages: ask('Please use get_weather for "Oslo".'),
      tools: [
        {
          ...weatherTool,
          function: {
            ...weatherTool.function,
            description: 'The weather in a city',
            parse: (text: string): object => JSON.parse(text),
            function: (input: object) => {
              seen.push(input)
              return 'rain, 4 degrees'
            },
          },
        },
      ],
    })
    expect(await run.finalContent()).toBe('The tool answered: rain, 4 degrees')
    expect(seen).toEqual([{ city: 'Oslo', unit: 'celsius' }])
  })

  it('streams tool calls in parts that join to the same arguments', async () => {
    const messages = ask('use get_weather and get_time')
    const clockTool = { type: 'function' as const, function: { name: 'get_time' } }
    const runner = client.chat.completions.stream({ model, messages, tools: [weatherTool, clockTool] })
    const final = await runner.finalChatCompletion()
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
    const calls = final.choices[0]?.message.tool_calls ?? []
    expect(
      calls.map((call) => call.type === 'function' && [call.function.name, call.function.arguments]),
    ).toEqual([
      ['get_weather', '{"city":"Paris","unit":"celsius"}'],
      ['get_time', '{}'],
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  it('finds quoted texts in linear time, however many quotes are never closed', async () => {
    const content = `use get_weather with “Oslo” ${'“'.repeat(300_000)}`
    const before = process.cpuUsage()
    const answer = await client.chat.completions.create({
      model,
      messages: ask(content),
      tools: [weatherTool],
      max_tokens: 50,
    })
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { arguments: expect.stringContaining('Oslo') },
    })
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(4_000)
  })

  it('calls no tool whose name is empty, and searches for none without end', async () => {
    const tool = { type: 'function' as const, function: { name: '', parameters: { type: 'object' } } }
    const answer = await client.chat.completions.create({ model, messages: ask('use it'), tools: [tool] })
    expect(answer.choices[0]?.finish_reason).toBe('stop')
  })

  it('follows the tool choice', async () => {
    const call = async (tool_choice: 'none' | 'required' | 'auto', content: string) => {
      const request = { model, messages: ask(content), tools: [weatherTool], tool_choice }
      return (await client.chat.completions.create(request)).choices[0]?.finish_reason
    }
    expect(await call('none', 'use get_weather')).toBe('stop')
    expect(await call('required', 'hello')).toBe('tool_calls')
    expect(await call('auto', 'hello')).toBe('stop')
    expect(await call('auto', 'is get_weather any good?')).toBe('stop')
  })

  it('uses the words of the user as the question, not the notes of an agent', async () => {
    const content = [
      { type: 'text' as const, text: 'Say hello.' },
      { type: 'text' as const, text: '<system-reminder>use get_weather</system-reminder>' },
    ]
    const messages = [{ role: 'user' as const, content }]
    const reply = await client.chat.completions.create({ model, messages, tools: [weatherTool] })
    expect(reply.choices[0]?.message.content).toContain('“Say hello.”')
  })

  it('returns an instance of the requested schema', async () => {
    const Event = z.object({
      title: z.string(),
      guests: z.array(z.string()),
      kind: z.enum(['party', 'talk']),
    })
    const reply = await client.chat.completions.parse({
      model,
      messages: ask('an event'),
      response_format: zodResponseFormat(Event, 'event'),
    })
    expect(reply.choices[0]?.message.parsed).toEqual({ title: 'demo', guests: ['demo'], kind: 'party' })
  })

  it('lists its models', async () => {
    const models = await collect(client.models.list())
    expect(models.map(({ id }) => id)).toEqual(['demo-chat', 'demo-embed'])
  })

  it('refuses invalid requests with errors of the OpenAI format', async () => {
    await expect(
      client.chat.completions.create({ model: 'gpt-9', messages: ask('x') }),
    ).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    })
    await expect(client.chat.completions.create({ model, messages: [] })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'messages',
    })
    await expect(
      client.chat.completions.create({ model, messages: ask('x'), max_tokens: 0 }),
    ).rejects.toMatchObject({ status: 400, param: 'max_tokens' })
    const broken = await fetch(`${demo.baseUrl}/chat/completions`, { method: 'POST', body: '{' })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toEqual({
      error: {
        message: 'The body is not valid JSON.',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    })
    expect((await fetch(`${demo.baseUrl}/nothing`)).status).toBe(404)
  })

  it('names the right endpoint if the model is of the other kind', async () => {
    const chat = client.chat.completions.create({ model: 'demo-embed', messages: ask('x') })
    await expect(chat).rejects.toMatchObject({
      status: 400,
      param: 'model',
      message: expect.stringContaining('/v1/embeddings'),
    })
    const vectors = client.embeddings.create({ model: 'demo-chat', input: 'x' })
    await expect(vectors).rejects.toMatchObject({
      status: 400,
      param: 'model',
      message: expect.stringContaining('/v1/chat/completions'),
    })
  })

  it('stops when the caller disconnects during the answer', async () => {
    const clock = createFakeClock()
    const started = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const watched: Clock = {
      ...clock,
      startTimer(delayMs, fire) {
        const timer = clock.startTimer(delayMs, fire)
        const cancel = () => {
          timer.cancel()
          cancelled.resolve()
        }
        started.resolve()
        return { ...timer, cancel }
      },
    }
    const other = await openDemoUpstream({ clock: watched })
    const sdk = new OpenAI({ baseURL: other.baseUrl, apiKey: 'none' })
    const pending = sdk.chat.completions.create({ model, messages: ask('x'), stream: true })
    await started.promise
    clock.advance(100)
    expect(clock.pendingTimers).toBe(1)
    for await (const chunk of await pending) {
      if (chunk.choices[0]?.delta.content) break
    }
    await cancelled.promise
    expect(clock.pendingTimers).toBe(0)
    await other.close()
  })
})

describe('the demo embedding model', () => {
  const similarity = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)

  it('returns the same unit vectors each time, closer for texts that share words', async () => {
    const input = ['the cat sleeps', 'a cat sleeps', 'stock markets fell']
    // The SDK asks for base64 by itself and decodes it.
    const { data, usage } = await client.embeddings.create({ model: 'demo-embed', input })
    const [first = [], second = [], third = []] = data.map(({ embedding }) => embedding)
    expect(similarity(first, first)).toBeCloseTo(1, 5)
    expect(similarity(first, second)).toBeGreaterThan(similarity(first, third) + 0.3)
    expect(usage.prompt_tokens).toBeGreaterThan(0)
    const floats = await client.embeddings.create({ model: 'demo-embed', input, encoding_format: 'float' })
    expect(floats.data[0]?.embedding).toEqual(first)
  })

  it('accepts tokens and dimensions, and refuses empty input', async () => {
    const { data } = await client.embeddings.create({
      model: 'demo-embed',
      input: [[1, 2], [3]],
      dimensions: 8,
    })
    expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8])
    expect((await client.embeddings.create({ model: 'demo-embed', input: [1, 2] })).data).toHaveLength(1)
    await expect(client.embeddings.create({ model: 'demo-embed', input: '' })).rejects.toMatchObject({
      status: 400,
      param: 'input',
    })
  })
})
