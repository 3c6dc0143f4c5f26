import type Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { finalText, markPayload, writtenContent } from '../support/agent/agent-script.ts'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { openAgentUpstream } from '../support/agent-upstream.ts'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { collect } from '../support/collect.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { anthropicOf, openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { jsonAnswer, type RecordedRequest, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const body = { model: 'm', input: 'Hi' }
const toolOf = (name: string, ...properties: readonly string[]): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  strict: false,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
    required: [...properties],
  },
})
const tools = [toolOf('read_file', 'path'), toolOf('write_file', 'path', 'content')]

describe.each(agentFormats)('the OpenAI SDK’s responses on a channel of the %s format', (format) => {
  const openWith = (text: string, more = '') =>
    openGateway({ format, scripts: [(request) => answerStrictly(format, request, { text })], more })

  it('gets a whole response with usage', async () => {
    await using open = await openWith('Hello ✓')
    const response = await openaiOf(open).responses.create({
      ...body,
      instructions: 'Be brief.',
      store: false,
    })
    expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hello ✓' })
    expect(response.usage).toMatchObject({ input_tokens: 11, output_tokens: 3, total_tokens: 14 })
  })

  it('streams events in their order, and the whole response at the end', async () => {
    await using open = await openWith('A longer answer that comes in pieces.')
    const events = await collect(await openaiOf(open).responses.create({ ...body, stream: true }))
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index))
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ])
    const words = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    )
    expect(words.length).toBeGreaterThan(1)
    expect(words.join('')).toBe('A longer answer that comes in pieces.')
    const final = await openaiOf(open).responses.stream(body).finalResponse()
    expect([final.status, final.output_text]).toEqual(['completed', words.join('')])
  })

  it('parses an answer that follows a schema', async () => {
    await using open = await openWith('{"city":"Wien"}')
    const text = { format: zodTextFormat(z.object({ city: z.string() }), 'place') }
    const response = await openaiOf(open).responses.parse({ ...body, text })
    expect(response.output_parsed).toEqual({ city: 'Wien' })
  })

  it('continues a conversation with parallel tools by returning every item', async () => {
    const task = { read: ['/a', '/b'], write: '/c' }
    await using upstream = await openAgentUpstream(format, task)
    await using gateway = await startGateway(channelYaml({ format, origin: upstream.origin, models: ['m'] }))
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Do it.' }]
    let written: unknown
    let said = ''
    for (let round = 0; round < 3; round += 1) {
      const final = await client.responses.stream({ model: 'm', input, tools, store: false }).finalResponse()
      said = final.output_text
      for (const item of final.output) {
        if (item.type !== 'message' && item.type !== 'function_call' && item.type !== 'reasoning') continue
        input.push(item)
      }
      for (const item of final.output) {
        if (item.type !== 'function_call') continue
        const asked = fieldsOf(JSON.parse(item.arguments))
        if (item.name === 'write_file') written = asked['content']
        const output = item.name === 'read_file' ? markPayload(`of ${String(asked['path'])}`) : 'Done.'
        input.push({ type: 'function_call_output', call_id: item.call_id, output })
      }
    }
    expect(said).toBe(finalText)
    expect(written).toBe(writtenContent(['of /a', 'of /b']))
    expect(upstream.exchanges.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined])
  })

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
  ])('is refused if "%s" names an object that only a provider has', async (param, more) => {
    await using open = await openWith('unseen')
    const refusal = await refusalOf(openaiOf(open).responses.create({ ...body, ...more }))
    const code = param === 'previous_response_id' ? 'previous_response_not_found' : 'cannot_be_carried'
    expect(refusal).toMatchObject({ status: 400, code, param })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('learns that the answer was not stored, if the operator turned storage off', async () => {
    await using open = await openWith('Hello', 'stored_responses: off\n')
    const { response } = await openaiOf(open)
      .responses.create({ ...body, store: true })
      .withResponse()
    expect(response.headers.get('x-headgate-loss')).toContain('foreign-field(store)=dropped')
  })
})

const { frames } = sampleStreams.responses
const last = frames.at(-1) ?? ''
const whole: unknown = fieldsOf(JSON.parse(last.slice(last.indexOf('data: ') + 'data: '.length)))['response']

function sentIn(request: RecordedRequest | undefined): Readonly<Record<string, unknown>> {
  return fieldsOf(JSON.parse(String(request?.body)))
}

function answer({ body: sent }: RecordedRequest) {
  return fieldsOf(JSON.parse(String(sent)))['stream'] === true ? sseAnswer(frames) : jsonAnswer(whole)
}

describe('a channel of the responses format', () => {
  const open = () => openGateway({ format: 'responses', scripts: [answer] })

  it('forwards and returns the bytes of callers of its format, state included', async () => {
    const firstMore = 'allow_fields: [previous_response_id]'
    await using gateway = await openGateway({ format: 'responses', scripts: [answer], firstMore })
    const sent = {
      ...body,
      stream: true,
      store: false,
      previous_response_id: 'resp_0',
      tools: [{ type: 'web_search' }],
    }
    const asked = await ask({ url: gateway.gateway.url, format: 'responses' }, sent)
    expect(asked.body.toString()).toBe(frames.join(''))
    expect(sentIn(gateway.upstreams[0]?.requests[0])).toEqual(sent)
    expect(gateway.upstreams[0]?.requests[0]?.path).toBe('/v1/responses')
    const final = await openaiOf(gateway).responses.create({ ...body, store: true })
    expect(final.output_text).toBe('Grüße, 漢字 👩‍👩‍👧‍👦\n')
  })

  it('answers callers of the chat format, and gets its reasoning back from them', async () => {
    await using gateway = await open()
    const { completions } = openaiOf(gateway).chat
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const stream = completions.stream({ model: 'm', messages })
    const details: unknown[] = []
    stream.on('chunk', ({ choices }) => {
      details.push(...listOf(fieldsOf(choices[0]?.delta)['reasoning_details']))
    })
    const [choice] = (await stream.finalChatCompletion()).choices
    expect(choice?.message.content).toBe('Grüße, 漢字 👩‍👩‍👧‍👦\n')
    const returned = { ...choice?.message, role: 'assistant' as const, reasoning_details: details }
    const result = { role: 'tool' as const, tool_call_id: 'call_1', content: 'Sun.' }
    await completions.create({ model: 'm', messages: [...messages, returned, result] })
    expectReturned(gateway.upstreams[0]?.requests[1])
  })

  it('answers callers of the messages format, and gets its reasoning back from them', async () => {
    await using gateway = await open()
    const client = anthropicOf(gateway).messages
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi' }]
    const { content, stop_reason: stop } = await client
      .stream({ model: 'm', max_tokens: 64, messages })
      .finalMessage()
    expect([stop, ...content.map(({ type }) => type)]).toEqual(['tool_use', 'thinking', 'text', 'tool_use'])
    const results = [{ type: 'tool_result' as const, tool_use_id: 'call_1', content: 'Sun.' }]
    await client.create({
      model: 'm',
      max_tokens: 64,
      messages: [...messages, { role: 'assistant', content }, { role: 'user', content: results }],
    })
    expectReturned(gateway.upstreams[0]?.requests[1])
  })
})

/** The conversation as the provider made it, kept by nobody. */
function expectReturned(request: RecordedRequest | undefined): void {
  const sent = sentIn(request)
  expect(sent['store']).toBe(false)
  expect(sent['input']).toMatchObject([
    { type: 'message', role: 'user' },
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Überlegt.' }],
      encrypted_content: 'c2ln',
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text' }] },
    { type: 'function_call', call_id: 'call_1', name: 'look' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Sun.' },
  ])
}

describe('reasoning of another provider', () => {
  it('returns to a messages channel with its original signature, through the responses format', async () => {
    await using gateway = await openGateway({
      format: 'messages',
      scripts: [() => sseAnswer(sampleStreams.messages.frames)],
    })
    const client = openaiOf(gateway).responses
    const { output } = await client.stream(body).finalResponse()
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Hi' }]
    for (const item of output) {
      if (item.type === 'message' || item.type === 'function_call' || item.type === 'reasoning')
        input.push(item)
    }
    input.push({ type: 'function_call_output', call_id: 'toolu_1', output: 'Sun.' })
    await client.stream({ model: 'm', input }).finalResponse()
    const [, assistant] = listOf(sentIn(gateway.upstreams[0]?.requests[1])['messages']).map(fieldsOf)
    expect(listOf(assistant?.['content'])[0]).toEqual({
      type: 'thinking',
      thinking: 'Überlegt.',
      signature: 'c2ln',
    })
  })

  it('is never sent to a channel of the responses format, and the answer reports the loss', async () => {
    await using gateway = await openGateway({ format: 'responses', scripts: [answer] })
    const { response } = await anthropicOf(gateway)
      .messages.create({
        model: 'm',
        max_tokens: 64,
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
              { type: 'text', text: 'Yes?' },
            ],
          },
          { role: 'user', content: 'Go on' },
        ],
      })
      .withResponse()
    expect(response.headers.get('x-headgate-loss')).toContain('thinking=dropped')
    expect(JSON.stringify(sentIn(gateway.upstreams[0]?.requests[0]))).not.toContain('c2ln')
  })
})
