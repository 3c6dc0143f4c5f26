import type Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { type AgentFormat, agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { collect } from '../support/collect.ts'
import { anthropicOf, openaiOf, openGateway, refusalOf, type Script } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { upstreamError } from '../support/upstream-error.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const say =
  (format: AgentFormat, text: string): Script =>
  (request) =>
    answerStrictly(format, request, { text })

describe('the OpenAI SDK on a channel of the messages format', () => {
  it.each([
    [400, 'invalid_request_error', 400, OpenAI.BadRequestError],
    [429, 'rate_limit_error', 429, OpenAI.RateLimitError],
    [529, 'overloaded_error', 503, OpenAI.InternalServerError],
    [401, 'authentication_error', 502, OpenAI.InternalServerError],
  ])('%i %s becomes %i in its own shape', async (sent, type, status, errorClass) => {
    const answer = upstreamError('messages', sent, { type, message: 'Words of the other format.' })
    await using open = await openGateway({
      format: 'messages',
      more: 'retry: { attempts: 1 }\n',
      scripts: [answer],
    })
    const refusal = await refusalOf(openaiOf(open).chat.completions.create({ model: 'm', messages }))
    expect(refusal).toBeInstanceOf(errorClass)
    expect(refusal).toMatchObject({ status, requestID: expect.stringMatching(/\S/) })
    expect(String(refusal).includes('Words of the other format.')).toBe(status === 400)
    expect(refusal).not.toHaveProperty('error.error')
  })

  it.each([
    ['chat', 'messages'],
    ['responses', 'input'],
  ] as const)('an empty %s request is refused, and the channel is not called', async (format, param) => {
    await using open = await openGateway({ format: 'messages', scripts: [say('messages', 'No.')] })
    const client = openaiOf(open)
    for (const content of ['', ' \n']) {
      const silent = [{ role: 'user' as const, content }]
      const call =
        format === 'chat'
          ? client.chat.completions.create({ model: 'm', messages: silent })
          : client.responses.create({ model: 'm', input: silent })
      expect(await refusalOf(call)).toMatchObject({ status: 400, code: 'cannot_be_carried', param })
    }
    const spoken = { type: 'input_audio' as const, input_audio: { data: 'AA==', format: 'wav' as const } }
    const heard = client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: [spoken] }],
    })
    const sound = 'messages.content.input_audio'
    expect(await refusalOf(heard)).toMatchObject({ code: 'cannot_be_carried', param: sound })
    expect(open.upstreams[0]?.requests).toEqual([])
  })

  it('an empty message is omitted, and the answer reports that', async () => {
    await using open = await openGateway({ format: 'messages', scripts: [say('messages', 'Yes.')] })
    const { response } = await openaiOf(open)
      .chat.completions.create({ model: 'm', messages: [...messages, { role: 'user', content: '' }] })
      .withResponse()
    expect(response.headers.get('x-headgate-loss')).toContain('foreign-field(messages.content)=dropped')
    expect(JSON.parse(String(open.upstreams[0]?.requests[0]?.body)).messages).toEqual(messages)
  })

  it('an error event in the middle of a stream is an error for the client', async () => {
    const frames = [
      {
        type: 'message_start',
        message: {
          id: 'x',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half an' } },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    await using open = await openGateway({ format: 'messages', scripts: [sseAnswer(frames)] })
    const stream = await openaiOf(open).chat.completions.create({ model: 'm', messages, stream: true })
    const refusal = await refusalOf(collect(stream))
    expect(refusal).toBeInstanceOf(OpenAI.APIError)
    expect(refusal).toMatchObject({ code: 'upstream_overloaded', type: 'overloaded_error' })
  })

  it('an answer has its creation time, whole and streamed, though the channel does not send it', async () => {
    await using open = await openGateway({ format: 'messages', scripts: [say('messages', 'Now.')] })
    const body = { model: 'm', messages }
    const beforeSeconds = Math.floor(Date.now() / 1_000)
    const whole = await openaiOf(open).chat.completions.create(body)
    const chunks = await collect(await openaiOf(open).chat.completions.create({ ...body, stream: true }))
    for (const { created } of [whole, ...chunks]) {
      expect(created).toBeGreaterThanOrEqual(beforeSeconds)
      expect(created).toBeLessThanOrEqual(Date.now() / 1_000)
    }
  })

  it('effort is sent to the channel, and its thinking is returned as reasoning beside the text', async () => {
    const reply = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'text', text: 'Clean.' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    await using open = await openGateway({ format: 'messages', scripts: [jsonAnswer(reply)] })
    const completion = await openaiOf(open).chat.completions.create({
      model: 'm',
      messages,
      reasoning_effort: 'high',
    })
    const sent = JSON.parse(String(open.upstreams[0]?.requests[0]?.body))
    expect(sent).toMatchObject({ output_config: { effort: 'high' }, max_tokens: expect.any(Number) })
    expect(completion.choices[0]?.message).toMatchObject({ content: 'Clean.', reasoning_content: 'Hm.' })
  })
})

describe.each(agentFormats)(
  'with a failing channel of the %s format before one of the other format',
  (first) => {
    const second = first === 'chat' ? 'messages' : 'chat'
    const broken = upstreamError(first, 500)
    const plan = {
      format: [first, second] as const,
      more: 'retry: { same_target: 0 }\n',
      scripts: [broken, say(second, 'From the other format.')],
    }

    it('both clients are answered, whole and streamed', async () => {
      await using open = await openGateway(plan)
      const openai = openaiOf(open).chat.completions
      const anthropic = anthropicOf(open).messages
      const body = { model: 'm', messages }
      const texts = [
        (await openai.create(body)).choices[0]?.message.content,
        (await openai.stream(body).finalChatCompletion()).choices[0]?.message.content,
        textOf(await anthropic.create({ ...body, max_tokens: 9 })),
        textOf(await anthropic.stream({ ...body, max_tokens: 9 }).finalMessage()),
      ]
      expect(texts).toEqual(texts.map(() => 'From the other format.'))
      expect(open.upstreams.map(({ requests }) => requests.length)).toEqual([4, 4])
    })
  },
)

it('a whole answer to a streaming request is converted to a stream for either client', async () => {
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'All at once.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  }
  await using open = await openGateway({ scripts: [jsonAnswer(completion)] })
  const body = { model: 'm', messages }
  const chat = await openaiOf(open).chat.completions.stream(body).finalChatCompletion()
  expect(chat.choices[0]?.message.content).toBe('All at once.')
  const message = await anthropicOf(open)
    .messages.stream({ ...body, max_tokens: 9 })
    .finalMessage()
  expect(textOf(message)).toBe('All at once.')
  expect(message.usage).toMatchObject({ input_tokens: 1, output_tokens: 2 })
})

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}
