import { expect, it } from 'vitest'
import type { Choice } from '../../../canonical/reply.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { responsesFormat } from '../format.ts'

const text = { type: 'text', text: 'The first half' } as const

/** The response of a whole answer, and the events of the same answer as a stream. */
function write(choice: Choice): { readonly whole: JsonObject; readonly events: readonly JsonObject[] } {
  const reply = { id: 'r', model: 'm', choices: [choice] }
  const writer = responsesFormat.createStreamWriter({ streamUsage: false, requestId: 'r' })
  const frames = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const events = createSseParser()
    .push(Buffer.from(frames))
    .map(({ data = '' }): unknown => JSON.parse(data))
    .filter(isJsonObject)
  return { whole: responsesFormat.writeReply(reply).value, events }
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
