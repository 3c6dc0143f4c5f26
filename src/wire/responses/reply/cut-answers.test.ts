import { expect, it } from 'vitest'
import type { Choice } from '../../../canonical/reply.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { responsesFormat } from '../format.ts'

const text = { type: 'text', text: 'The first half' } as const

/** The response of a whole answer, and the events of the same answer as a stream. */
function write(choice: Choice) {
  const reply = { id: 'r', model: 'm', choices: [choice] }
  const writer = responsesFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
  const frames = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const events = createSseParser()
    .push(Buffer.from(frames))
    .map(({ data = '' }): unknown => JSON.parse(data))
    .filter(isJsonObject)
  const whole = responsesFormat.writeReply(reply)
  return { whole: whole.value, events, losses: [whole.losses, writer.losses] }
}

it('an answer that a classifier of the provider stopped is incomplete', () => {
  const { whole, events } = write({ content: [text], stopReason: 'refusal' })
  const cut = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
  expect(whole).toMatchObject(cut)
  expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: cut })
})

it('a refusal in words is a complete answer', () => {
  const { whole } = write({ content: [{ type: 'refusal', text: 'No.' }], stopReason: 'refusal' })
  expect(whole).toMatchObject({ status: 'completed', incomplete_details: null })
})

it('the item that was cut is incomplete, and those before it are completed', () => {
  const call = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{"a":' } as const
  const { whole, events } = write({ content: [text, call], stopReason: 'length' })
  const statuses = [{ status: 'completed' }, { type: 'function_call', status: 'incomplete' }]
  expect(whole).toMatchObject({ output: statuses })
  expect(events.at(-1)).toMatchObject({ response: { output: statuses } })
  const ends = events.filter(({ type }) => type === 'response.output_item.done')
  expect(ends).toMatchObject(statuses.map((item) => ({ item })))
})

it('the last item of a whole answer is completed', () => {
  const { whole, events } = write({ content: [text], stopReason: 'end' })
  expect(whole).toMatchObject({ output: [{ status: 'completed' }] })
  expect(events.at(-1)).toMatchObject({ response: { output: [{ status: 'completed' }] } })
})

const call = { type: 'tool-call', id: 'c', name: 'save', kind: 'function', input: '{}' } as const
const lost = { feature: 'tool-input', kind: 'dropped' }

/** The deltas and the last event of the calls' arguments. */
function argumentsOf(events: readonly JsonObject[]) {
  const ofCalls = events.filter(({ type }) => String(type).startsWith('response.function_call_arguments.'))
  return ofCalls.map((event) => event['delta'] ?? event['arguments'])
}

it.each(['length', 'context-window', 'content-filter', 'refusal'] as const)(
  'a last call without any argument has an empty text as its arguments in an answer that was cut off: %s',
  (stopReason) => {
    for (const input of ['', '{}']) {
      const { whole, events, losses } = write({ content: [text, { ...call, input }], stopReason })
      const output = [{}, { arguments: '', status: 'incomplete' }]
      expect(whole).toMatchObject({ output })
      expect(events.at(-1)).toMatchObject({ response: { output } })
      expect(argumentsOf(events)).toEqual([''])
      for (const list of losses)
        expect(list.some(({ feature }) => feature === 'tool-input')).toBe(input !== '')
    }
  },
)

it.each(['tool-calls', 'end'] as const)(
  'a whole call without arguments has the empty object: %s',
  (stopReason) => {
    for (const input of ['', '{}']) {
      const { whole, events, losses } = write({ content: [call, { ...call, input }], stopReason })
      expect(whole).toMatchObject({ output: [{ arguments: '{}' }, { arguments: '{}', status: 'completed' }] })
      expect(argumentsOf(events)).toEqual(['{}', '{}', '{}', '{}'])
      for (const list of losses) expect(list).not.toContainEqual(lost)
    }
  },
)

it('a call before other items is whole, even in an answer that was cut off', () => {
  const { whole } = write({ content: [call, text], stopReason: 'length' })
  expect(whole).toMatchObject({ output: [{ arguments: '{}', status: 'completed' }, {}] })
})

it('the input of a call that goes on after an empty object is streamed whole', () => {
  const writer = responsesFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
  const { input: _input, ...start } = call
  const position = { choice: 0, block: 0 }
  writer.push({ type: 'reply-start', id: 'r', model: 'm' })
  writer.push({ type: 'block-start', ...position, start })
  expect(writer.push({ type: 'tool-input-delta', ...position, text: '{}' })).toBe('')
  expect(writer.push({ type: 'tool-input-delta', ...position, text: ' ' })).toContain('"delta":"{} "')
})

it.each([
  ['{}', ''],
  ['{', '{'],
])(
  'a cut call whose input arrives by characters, %s, has the arguments of the whole answer',
  (input, shown) => {
    const { input: _input, ...start } = call
    const position = { choice: 0, block: 0 }
    const writer = responsesFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
    const deltas = [...input].map((one) => ({ type: 'tool-input-delta', ...position, text: one }) as const)
    const sent = [
      { type: 'reply-start', id: 'r', model: 'm' } as const,
      { type: 'block-start', ...position, start } as const,
      ...deltas,
      { type: 'block-end', ...position } as const,
      { type: 'choice-end', choice: 0, stopReason: 'length' } as const,
      { type: 'reply-end' } as const,
    ].map((event) => writer.push(event))
    const { whole } = write({ content: [{ ...call, input }], stopReason: 'length' })
    expect(whole).toMatchObject({ output: [{ arguments: shown }] })
    expect(sent.at(-1)).toContain(`"arguments":"${shown}"`)
    expect(sent.join('').includes('"delta":"{"')).toBe(shown === '{')
  },
)
