import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { AgentFormat } from '../support/agent/speech.ts'
import { answerStrictly } from '../support/agent/speech.ts'
import { collect } from '../support/collect.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { type OpenGateway, openaiOf, openGateway, type Script } from '../support/open-gateway.ts'
import {
  jsonAnswer,
  type RecordedRequest,
  type ScriptedAnswer,
  sseAnswer,
} from '../support/scripted-upstream.ts'

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const noEndpoint = 'models: { m: { completions: false } }\n'

function bodyOf(request: RecordedRequest | undefined): Readonly<Record<string, unknown>> {
  return fieldsOf(JSON.parse(String(request?.body)))
}

/** What a channel that takes plain prompts says, each text a choice. */
function completion(...texts: readonly string[]): ScriptedAnswer {
  const choices = texts.map((text, index) => ({ text, index, logprobs: null, finish_reason: 'stop' }))
  return jsonAnswer({ id: 'cmpl-1', object: 'text_completion', created: 5, model: 'up', choices, usage })
}

function frame(choice: object | undefined, more: object = {}): string {
  const choices =
    choice === undefined ? [] : [{ text: '', index: 0, logprobs: null, finish_reason: null, ...choice }]
  const head = { id: 'cmpl-1', object: 'text_completion', created: 5, model: 'up' }
  return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`
}

const frames = [frame({ text: 'Blue' }), frame({ text: ' sky.' }), frame({ finish_reason: 'stop' })]
const usageFrame = frame(undefined, { usage })

/** A service with the endpoint, which reports usage in streams on request. */
const ownEndpoint: Script = (request) => {
  const { stream, stream_options: options } = bodyOf(request)
  if (request.path !== '/v1/completions') return jsonAnswer({ error: { message: 'no such path' } }, 404)
  if (stream !== true) return completion('Blue sky.')
  const counts = fieldsOf(options)['include_usage'] === true ? [usageFrame] : []
  return sseAnswer([...frames, ...counts, 'data: [DONE]\n\n'])
}

const conversation =
  (format: AgentFormat, text = 'Blue sky.'): Script =>
  (request) =>
    answerStrictly(format, request, { text })

interface Site {
  readonly name: string
  open(): Promise<OpenGateway>
}

const places: readonly Site[] = [
  { name: 'with the endpoint', open: () => openGateway({ scripts: [ownEndpoint] }) },
  { name: 'of chat alone', open: () => openGateway({ scripts: [conversation('chat')], more: noEndpoint }) },
  {
    name: 'of messages',
    open: () => openGateway({ scripts: [conversation('messages')], format: 'messages' }),
  },
]

describe.each(places)('the OpenAI SDK’s completions on a channel $name', ({ open }) => {
  it('have text, a finish reason, and usage', async () => {
    await using gateway = await open()
    const reply = await openaiOf(gateway).completions.create({ model: 'm', prompt: 'The sky is' })
    expect(reply).toMatchObject({
      object: 'text_completion',
      created: expect.any(Number),
      choices: [{ text: 'Blue sky.', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    })
  })

  it('are streamed, with usage only for callers who request it', async () => {
    await using gateway = await open()
    const body = { model: 'm', prompt: 'The sky is', stream: true } as const
    const { completions } = openaiOf(gateway)
    const chunks = await collect(await completions.create(body))
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe('Blue sky.')
    expect(chunks.every(({ object }) => object === 'text_completion')).toBe(true)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.some((chunk) => chunk.usage)).toBe(false)
    const counted = await collect(
      await completions.create({ ...body, stream_options: { include_usage: true } }),
    )
    expect(counted.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) } })
  })
})

const ends: readonly (Site & { readonly format: AgentFormat })[] = [
  {
    name: 'chat',
    format: 'chat',
    open: () => openGateway({ scripts: [conversation('chat')], more: noEndpoint }),
  },
  {
    name: 'messages',
    format: 'messages',
    open: () => openGateway({ scripts: [conversation('messages')], format: 'messages' }),
  },
]

describe.each(ends)('on a channel with only the $name format', ({ format, open }) => {
  it('each of several prompts is a call, and the answers return in their order', async () => {
    await using gateway = await openGateway({
      format,
      more: noEndpoint,
      scripts: [(request) => answerStrictly(format, request, { text: `to ${lastWords(request)}` })],
    })
    const { completions } = openaiOf(gateway)
    const reply = await completions.create({ model: 'm', prompt: ['a', 'b', 'c'], echo: true })
    expect(textsOf(reply)).toEqual(['ato a', 'bto b', 'cto c'])
    expect(reply.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    const one = await completions.create({ model: 'm', prompt: 'a' })
    expect(reply.usage?.completion_tokens).toBe(3 * (one.usage?.completion_tokens ?? 0))
    expect(gateway.upstreams[0]?.requests).toHaveLength(4)
  })

  it('the prompt is echoed, whole and streamed', async () => {
    await using gateway = await open()
    const body = { model: 'm', prompt: 'The sky is ', echo: true }
    const { completions } = openaiOf(gateway)
    expect(textsOf(await completions.create(body))).toEqual(['The sky is Blue sky.'])
    const chunks = await collect(await completions.create({ ...body, stream: true }))
    expect(chunks.flatMap(textsOf).join('')).toBe('The sky is Blue sky.')
  })

  it('settings are sent under the names of that format', async () => {
    await using gateway = await open()
    const body = { model: 'm', prompt: 'Hi', max_tokens: 7, temperature: 0.5, stop: ['.', '!'] }
    const { response } = await openaiOf(gateway).completions.create(body).withResponse()
    const stops = format === 'chat' ? 'stop' : 'stop_sequences'
    expect(bodyOf(gateway.upstreams[0]?.requests[0])).toMatchObject({
      max_tokens: 7,
      temperature: 0.5,
      [stops]: ['.', '!'],
    })
    expect(response.headers.get('x-headgate-loss')).toBeNull()
  })

  it('the header reports the losses', async () => {
    await using gateway = await open()
    const body = { model: 'm', prompt: 'Hi', suffix: 'Bye', best_of: 3 }
    const { response } = await openaiOf(gateway).completions.create(body).withResponse()
    expect(response.headers.get('x-headgate-loss')).toContain('foreign-field(suffix)=dropped')
    expect(response.headers.get('x-headgate-loss')).toContain('foreign-field(best_of)=dropped')
  })
})

describe('on a channel with only the chat format', () => {
  it('several choices and log probabilities are returned in the format’s own shape', async () => {
    const entry = { token: 'Blue', logprob: -0.5, bytes: null }
    const choice = (index: number) => ({
      index,
      message: { role: 'assistant', content: 'Blue' },
      logprobs: { content: [{ ...entry, top_logprobs: [entry] }], refusal: null },
      finish_reason: 'length',
    })
    const reply = {
      id: 'x',
      object: 'chat.completion',
      created: 5,
      model: 'up',
      choices: [choice(0), choice(1)],
    }
    await using gateway = await openGateway({ more: noEndpoint, scripts: [jsonAnswer(reply)] })
    const body = { model: 'm', prompt: ['Hi', 'Ho'], n: 2, logprobs: 1 }
    const answer = await openaiOf(gateway).completions.create(body)
    const logprobs = {
      tokens: ['Blue'],
      token_logprobs: [-0.5],
      top_logprobs: [{ Blue: -0.5 }],
      text_offset: [0],
    }
    expect(answer.choices).toEqual(
      [0, 1, 2, 3].map((index) => ({ text: 'Blue', index, logprobs, finish_reason: 'length' })),
    )
    expect(bodyOf(gateway.upstreams[0]?.requests[0])).toMatchObject({ n: 2, logprobs: true, top_logprobs: 1 })
  })
})

describe('on a channel with the completions endpoint', () => {
  it('the caller’s bytes are forwarded, whatever they request', async () => {
    await using gateway = await openGateway({ scripts: [completion('a', 'b', 'c', 'd')] })
    const body = {
      model: 'm',
      prompt: [
        [1, 2],
        [3, 4],
      ],
      n: 2,
      best_of: 4,
      echo: true,
      suffix: 'end',
      logprobs: 0,
    }
    const reply = await openaiOf(gateway).completions.create(body)
    expect(textsOf(reply)).toEqual(['a', 'b', 'c', 'd'])
    expect(String(gateway.upstreams[0]?.requests[0]?.body)).toBe(JSON.stringify(body))
  })

  it('a whole answer to a streaming request is converted to a stream', async () => {
    await using gateway = await openGateway({ scripts: [completion('Blue sky.')] })
    const stream = await openaiOf(gateway).completions.create({ model: 'm', prompt: 'x', stream: true })
    const chunks = await collect(stream)
    expect(chunks.flatMap(textsOf).join('')).toBe('Blue sky.')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  it('is called if an earlier channel supports only conversations and cannot accept tokens', async () => {
    await using gateway = await openGateway({
      format: ['messages', 'chat'],
      scripts: [conversation('messages'), ownEndpoint],
    })
    const { data, response } = await openaiOf(gateway)
      .completions.create({ model: 'm', prompt: [1, 2] })
      .withResponse()
    expect(textsOf(data)).toEqual(['Blue sky.'])
    expect(response.headers.get('x-headgate-channel')).toBe('channel-2')
  })
})

function textsOf({ choices }: OpenAI.Completion): string[] {
  return choices.map(({ text }) => text)
}

/** What the user said last, in either format. */
function lastWords(request: RecordedRequest): string {
  const content = fieldsOf(listOf(bodyOf(request)['messages']).at(-1))['content']
  return typeof content === 'string' ? content : String(fieldsOf(listOf(content)[0])['text'])
}
