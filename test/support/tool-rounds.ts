import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { jsonAnswer, type RecordedRequest, type ScriptedAnswer, sseAnswer } from './scripted-upstream.ts'

/** The cities that a scripted model looks up, two in each of two steps, before it answers. */
const rounds = [
  ['Oslo', 'Rome'],
  ['Lima', 'Cairo'],
] as const

export const finalWords = 'It is mild everywhere.'
export const weatherOf = (city: string) => `mild in ${city}`

type RoundFormat = Extract<ChannelFormatId, 'chat' | 'messages' | 'gemini' | 'responses'>

/**
 * A provider of one format whose model calls two tools at once, twice, and then answers. It refuses a request that
 * leaves out a call or a result of the rounds before, and of the responses format it stores what it answers.
 */
export function createToolRounds(format: RoundFormat) {
  return format === 'responses' ? createStoringProvider() : createPlainProvider(format)
}

interface Step {
  readonly step: number
  readonly cities: readonly string[]
  readonly isStream: boolean
}

function createPlainProvider(format: Exclude<RoundFormat, 'responses'>) {
  return (request: RecordedRequest): ScriptedAnswer => {
    const body = JSON.parse(String(request.body))
    const text = JSON.stringify(body)
    const step = stepOf(text)
    if (step === undefined) return jsonAnswer({ error: { message: 'a call or a result is missing' } }, 400)
    const isStream = body.stream === true || request.path.includes('streamGenerateContent')
    return writers[format]({ step, cities: rounds[step] ?? [], isStream })
  }
}

/** The number of the step by the results that are there; undefined where a round is there by half. */
function stepOf(text: string): number | undefined {
  const done = rounds.map((cities) => cities.filter((city) => text.includes(weatherOf(city))).length)
  const called = rounds.map((cities) => cities.filter((city) => text.includes(`call_${city}`)).length)
  const step = done.indexOf(0) === -1 ? rounds.length : done.indexOf(0)
  const isWhole = done.every((count, index) => count === (index < step ? 2 : 0))
  const hasCalls = called.every((count, index) => count === (index < step ? 2 : 0))
  return isWhole && hasCalls ? step : undefined
}

interface Named {
  readonly type: string
  readonly [field: string]: unknown
}

const event = (value: Named) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`

const writers = {
  chat({ step, cities, isStream }: Step): ScriptedAnswer {
    const calls = cities.map((city, index) => ({
      index,
      id: `call_${city}`,
      type: 'function',
      function: { name: 'look_up', arguments: JSON.stringify({ city }) },
    }))
    const message = calls.length > 0 ? { content: null, tool_calls: calls } : { content: finalWords }
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
    const head = { id: `chatcmpl-${step}`, created: 1, model: 'm' }
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
    if (!isStream) {
      const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason }
      return jsonAnswer({ ...head, object: 'chat.completion', choices: [choice], usage })
    }
    const chunk = (choice: object) =>
      data({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })
    return sseAnswer([
      chunk({ delta: { role: 'assistant', ...message }, finish_reason: null }),
      chunk({ delta: {}, finish_reason }),
      data({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
      'data: [DONE]\n\n',
    ])
  },
  messages({ step, cities, isStream }: Step): ScriptedAnswer {
    const calls = cities.map((city) => ({
      type: 'tool_use',
      id: `call_${city}`,
      name: 'look_up',
      input: { city },
    }))
    const content = calls.length > 0 ? calls : [{ type: 'text', text: finalWords }]
    const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
    const head = { id: `msg_${step}`, type: 'message', role: 'assistant', model: 'm', stop_sequence: null }
    const usage = { input_tokens: 5, output_tokens: 3 }
    if (!isStream) return jsonAnswer({ ...head, content, stop_reason, usage })
    const blocks = content.flatMap((block, index) => {
      const [start, delta] =
        'input' in block
          ? [
              { ...block, input: {} },
              { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
            ]
          : [
              { ...block, text: '' },
              { type: 'text_delta', text: block.text },
            ]
      return [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]
    })
    const events = [
      { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } },
      ...blocks,
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]
    return sseAnswer(events.map(event))
  },
  gemini({ step, cities, isStream }: Step): ScriptedAnswer {
    const calls = cities.map((city) => ({
      functionCall: { id: `call_${city}`, name: 'look_up', args: { city } },
    }))
    const parts = calls.length > 0 ? calls : [{ text: finalWords }]
    const answer = {
      candidates: [{ content: { role: 'model', parts }, index: 0, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
      modelVersion: 'm',
      responseId: `r${step}`,
    }
    return isStream ? sseAnswer([data(answer)]) : jsonAnswer(answer)
  },
}

type Item = Readonly<Record<string, unknown>>

/** The responses format with its provider's state: references are looked up, and what is not stored is refused. */
function createStoringProvider() {
  const items = new Map<string, Item>()
  const conversations = new Map<string, readonly Item[]>()
  let count = 0
  return (request: RecordedRequest): ScriptedAnswer => {
    const body = JSON.parse(String(request.body))
    const before = conversations.get(body.previous_response_id ?? '')
    if (body.previous_response_id && before === undefined) return notFound('Previous response')
    const own: readonly Item[] = typeof body.input === 'string' ? [{ content: body.input }] : body.input
    const input = [...(before ?? []), ...own].map((item) =>
      item['type'] === 'item_reference' ? items.get(String(item['id'])) : item,
    )
    if (input.some((item) => item === undefined)) return notFound('Item')
    const step = stepOf(JSON.stringify(input))
    if (step === undefined) return jsonAnswer({ error: { message: 'a call or a result is missing' } }, 400)
    count += 1
    const written = writeResponse(`${count}`, rounds[step] ?? [], body.store !== false)
    const { output } = written
    const response = { ...written.response, previous_response_id: body.previous_response_id ?? null }
    for (const item of output) items.set(item.id, item)
    if (body.store !== false) {
      const whole = input.filter((item) => item !== undefined)
      conversations.set(response.id, [...whole, ...output])
    }
    return body.stream === true ? streamOf(response, output) : jsonAnswer(response)
  }
}

function notFound(what: string): ScriptedAnswer {
  return jsonAnswer({ error: { message: `${what} not found.`, type: 'invalid_request_error' } }, 404)
}

function writeResponse(name: string, cities: readonly string[], store: boolean) {
  const calls = cities.map((city, index) => ({
    type: 'function_call',
    id: `fc_provider_${name}_${index}`,
    call_id: `call_${city}`,
    name: 'look_up',
    arguments: JSON.stringify({ city }),
    status: 'completed',
  }))
  const message = {
    type: 'message',
    id: `msg_provider_${name}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: finalWords, annotations: [], logprobs: [] }],
  }
  const output = calls.length > 0 ? calls : [message]
  const usage = {
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 8,
  }
  const head = { id: `resp_provider_${name}`, object: 'response', created_at: 1, model: 'm', store }
  return { output, response: { ...head, status: 'completed', output, usage } }
}

function streamOf(
  response: { readonly id: string },
  output: readonly (Item & { readonly id: string })[],
): ScriptedAnswer {
  const started = { ...response, status: 'in_progress', output: [], usage: null }
  const grown = output.flatMap((item, output_index) => {
    const position = { output_index, item_id: item.id }
    const isCall = item['type'] === 'function_call'
    const bare = isCall ? { ...item, arguments: '' } : { ...item, content: [] }
    const part = { type: 'output_text', text: '', annotations: [] }
    const deltas = isCall
      ? [
          { type: 'response.function_call_arguments.delta', ...position, delta: item['arguments'] },
          { type: 'response.function_call_arguments.done', ...position, arguments: item['arguments'] },
        ]
      : [
          { type: 'response.content_part.added', ...position, content_index: 0, part },
          { type: 'response.output_text.delta', ...position, content_index: 0, delta: finalWords },
          { type: 'response.output_text.done', ...position, content_index: 0, text: finalWords },
        ]
    return [
      { type: 'response.output_item.added', output_index, item: { ...bare, status: 'in_progress' } },
      ...deltas,
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  const events: readonly Named[] = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...grown,
    { type: 'response.completed', response },
  ]
  return sseAnswer(events.map((one, sequence_number) => event({ ...one, sequence_number })))
}
