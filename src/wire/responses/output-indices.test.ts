import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import type { AssistantBlock } from '../../canonical/content.ts'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { readReply as readChat } from '../chat/reply/read-reply.ts'
import { createStreamReader as createChatReader } from '../chat/reply/stream-reader.ts'
import { createStreamWriter as createChatWriter } from '../chat/reply/stream-writer.ts'
import { writeReply as writeChat } from '../chat/reply/write-reply.ts'
import { readReply as readGemini } from '../gemini/reply/read-reply.ts'
import { createStreamReader as createGeminiReader } from '../gemini/reply/stream-reader.ts'
import { createStreamWriter as createGeminiWriter } from '../gemini/reply/stream-writer.ts'
import { writeReply as writeGemini } from '../gemini/reply/write-reply.ts'
import { readReply as readMessages } from '../messages/reply/read-reply.ts'
import { createStreamReader as createMessagesReader } from '../messages/reply/stream-reader.ts'
import { createStreamWriter as createMessagesWriter } from '../messages/reply/stream-writer.ts'
import { writeReply as writeMessages } from '../messages/reply/write-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'

const callers = [
  {
    name: 'chat',
    createWriter: createChatWriter,
    createReader: createChatReader,
    write: writeChat,
    read: readChat,
  },
  {
    name: 'messages',
    createWriter: createMessagesWriter,
    createReader: createMessagesReader,
    write: writeMessages,
    read: readMessages,
  },
  {
    name: 'gemini',
    createWriter: createGeminiWriter,
    createReader: createGeminiReader,
    write: writeGemini,
    read: readGemini,
  },
] as const

const created = { type: 'response.created', response: { id: 'r', model: 'm', created_at: 5, output: [] } }

function completed(output: readonly object[]): object {
  return { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output } }
}

function call(id: string): JsonObject {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: 'f',
    arguments: `{"of":"${id}"}`,
  }
}

function message(id: string): JsonObject {
  const content = [{ type: 'output_text', text: `text ${id}.`, annotations: [] }]
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
}

function reasoning(id: string): JsonObject {
  return { type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: `thought ${id}.` }] }
}

/** An item as the stream brings it, from its start to its end. */
function frames(item: JsonObject, index: number): readonly object[] {
  const at = { output_index: index, item_id: item['id'] ?? null }
  const bare = { ...item, arguments: '', content: [], summary: [] }
  return [
    { type: 'response.output_item.added', output_index: index, item: bare },
    ...deltasOf(item).map((delta) => ({ ...delta, ...at })),
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

function deltasOf(item: JsonObject): readonly JsonObject[] {
  const text = saidBy(item)
  const halves = [text.slice(0, 4), text.slice(4)]
  const type = {
    function_call: 'response.function_call_arguments.delta',
    message: 'response.output_text.delta',
    reasoning: 'response.reasoning_summary_text.delta',
  }[String(item['type'])]
  return halves.map((delta) => ({ type: type ?? '', delta, content_index: 0, summary_index: 0 }))
}

function saidBy(item: JsonObject): string {
  if (typeof item['arguments'] === 'string') return item['arguments']
  const [part] = [item['content'], item['summary']].flatMap((parts) => (Array.isArray(parts) ? parts : []))
  return String(part?.text)
}

function read(events: readonly object[]): readonly ReplyEvent[] {
  const reader = createStreamReader()
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const parsed = createSseParser().push(Buffer.from(text))
  return [...parsed.flatMap((frame) => reader.push(frame)), ...reader.end()]
}

/** The answer that a caller reads, streamed and whole, in its own format. */
function readAs(
  caller: (typeof callers)[number],
  events: readonly ReplyEvent[],
): readonly (Reply | Failure)[] {
  const writer = caller.createWriter({ streamUsage: false, requestId: 'r' })
  const text = events.map((event) => writer.push(event)).join('')
  const reader = caller.createReader()
  const streamed = createSseParser()
    .push(Buffer.from(text))
    .flatMap((frame) => reader.push(frame))
  const whole = foldReply(events)
  if (!('choices' in whole)) throw new Error(`no answer: ${JSON.stringify(whole)}`)
  return [foldReply([...streamed, ...reader.end()]), caller.read(caller.write(whole).value)]
}

/** Texts and inputs, sorted: formats join and order texts, thoughts and calls in their own manner. */
function told(reply: Reply | Failure): readonly string[] {
  if (!('choices' in reply)) throw new Error(`no answer: ${JSON.stringify(reply)}`)
  const texts = reply.choices.flatMap(({ content }) => content.flatMap(textsOf))
  return texts.toSorted()
}

function textsOf(block: AssistantBlock): readonly string[] {
  if (block.type === 'tool-call') return [block.input]
  if (block.type !== 'text' && block.type !== 'thinking') return []
  return block.text.match(/(text|thought) \w+\./g) ?? [block.text]
}

const item = fc.oneof(fc.constant(call), fc.constant(message), fc.constant(reasoning))
const stream = fc
  .array(fc.record({ make: item, gap: fc.nat(3), order: fc.nat(), isRepeated: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((drawn) => {
    let index = -1
    return drawn.map(({ make, gap, order, isRepeated }, at) => {
      index += 1 + gap
      return { item: make(`n${at}`), index, order, isRepeated }
    })
  })

describe('the items of a responses stream', () => {
  it.each(callers)('reach a $name caller once when an index is left out', (caller) => {
    const item = call('a')
    const events = read([created, ...frames(item, 1), completed([item])])
    for (const reply of readAs(caller, events)) expect(told(reply)).toEqual(['{"of":"a"}'])
  })

  it.each(callers)('reach a $name caller once when only the end has the reasoning', (caller) => {
    const events = read([created, ...frames(message('a'), 0), completed([reasoning('b'), message('a')])])
    for (const reply of readAs(caller, events)) expect(told(reply)).toEqual(['text a.', 'thought b.'])
  })

  it('are matched by their call when the end has other ids', () => {
    const item = call('a')
    const events = read([created, ...frames(item, 3), completed([{ ...item, id: 'fc_other' }])])
    expect(told(foldReply(events))).toEqual(['{"of":"a"}'])
  })

  it('are matched by their content when the end renumbers calls and items', () => {
    const items = [reasoning('a'), message('b'), call('c'), call('d')]
    const end = items.map((item, at) => ({
      ...item,
      id: `new_${at}`,
      ...('call_id' in item && { call_id: `new_${at}` }),
    }))
    const events = read([created, ...items.flatMap((item, at) => frames(item, at * 2)), completed(end)])
    expect(told(foldReply(events))).toEqual(['text b.', 'thought a.', '{"of":"c"}', '{"of":"d"}'])
  })

  it('are two when the end has another of the same kind', () => {
    const events = read([created, ...frames(message('a'), 0), completed([message('a'), message('b')])])
    expect(told(foldReply(events))).toEqual(['text a.', 'text b.'])
  })

  it('are distinguished by their ids when a server gives all the same index', () => {
    const items = [message('a'), call('b'), call('c'), message('d')]
    const events = read([created, ...items.flatMap((item) => frames(item, 0)), completed(items)])
    expect(told(foldReply(events))).toEqual(['text a.', 'text d.', '{"of":"b"}', '{"of":"c"}'])
  })

  it('are complete when the stream broke off inside one and the end repeats it', () => {
    const item = message('a')
    const events = read([created, ...frames(item, 5).slice(0, 2), completed([item])])
    expect(told(foldReply(events))).toEqual(['text a.'])
  })

  it('reach every caller exactly once, for any indices and any repetition at the end', () => {
    fc.assert(
      fc.property(stream, fc.boolean(), fc.constantFrom(...callers), (drawn, hasIds, caller) => {
        const plain = drawn.map((one) => {
          const { id, ...bare } = one.item
          return { ...one, item: hasIds ? { ...bare, id: id ?? '' } : bare }
        })
        const streamed = plain.toSorted((a, b) => a.order - b.order)
        const end = plain.filter(({ isRepeated }) => isRepeated).map(({ item }) => item)
        const events = read([
          created,
          ...streamed.flatMap(({ item, index }) => frames(item, index)),
          completed(end),
        ])
        const wanted = plain.map(({ item }) => saidBy(item)).toSorted()
        for (const reply of readAs(caller, events)) expect(told(reply)).toEqual(wanted)
      }),
      { numRuns: LAW_RUNS / 4 },
    )
  })
})
