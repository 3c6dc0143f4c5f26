import { describe, expect, it } from 'vitest'
import { openaiOf, openGateway } from '../support/open-gateway.ts'
import { sseAnswer } from '../support/scripted-upstream.ts'
import { fieldsOf, listOf, wordOf } from '../support/second-reader/meaning.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const asked = { role: 'user' as const, content: 'Hi' }
const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object' } } }]
const thought = { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmF0dXJl' }
const redacted = { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }
const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }

/** An answer of the messages format: thinking in two pieces and its signature, what is redacted, and a call. */
const writeFrames = (blocks: readonly object[]) =>
  [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
    ...writeBlock(0, { ...thought, thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: 'Let me ' },
      { type: 'thinking_delta', thinking: 'see.' },
      { type: 'signature_delta', signature: thought.signature },
    ]),
    ...blocks.flatMap((block, index) => writeBlock(index + 1, block, [])),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ].map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`)

function writeBlock(index: number, start: object, deltas: readonly object[]) {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function open(...blocks: readonly object[]) {
  return openGateway({ format: 'messages', scripts: [sseAnswer(writeFrames(blocks))] })
}

type Open = Awaited<ReturnType<typeof open>>

/** The official client's own stream, its final message, and each chunk's details. */
async function askFirst(opened: Open) {
  const stream = openaiOf(opened).chat.completions.stream({ model: 'm', messages: [asked], tools })
  const details: unknown[] = []
  stream.on('chunk', ({ choices }) => {
    details.push(...listOf(fieldsOf(choices[0]?.delta)['reasoning_details']))
  })
  const [choice] = (await stream.finalChatCompletion()).choices
  return { details, message: fieldsOf(choice?.message), calls: choice?.message.tool_calls ?? [] }
}

/** The earlier answer that the upstream gets where the caller says that it was this. */
async function sendBack(opened: Open, fields: object): Promise<unknown> {
  const answer = { role: 'assistant' as const, content: null, ...fields }
  const result = { role: 'tool' as const, tool_call_id: call.id, content: 'r' }
  const messages = [asked, answer, result]
  const stream = openaiOf(opened).chat.completions.stream({ model: 'm', messages, tools })
  await stream.done()
  const sent = fieldsOf(JSON.parse(String(opened.upstreams[0]?.requests[1]?.body)))
  return fieldsOf(listOf(sent['messages'])[1])['content']
}

/** Folds entries by their index, the fields of each joined. */
function foldByIndex(details: readonly unknown[]): readonly object[] {
  const folded = new Map<unknown, Record<string, unknown>>()
  for (const detail of details.map(fieldsOf)) {
    const before = folded.get(detail['index'])
    const words = wordOf(before?.['text']) + wordOf(detail['text'])
    folded.set(detail['index'], { ...before, ...detail, ...(words === '' ? {} : { text: words }) })
  }
  return [...folded.values()]
}

describe('signed reasoning in a stream to the official client of the chat format', () => {
  it('returns to its provider unchanged from a caller that merges the details by their index', async () => {
    await using opened = await open(redacted, call)
    const { details, calls } = await askFirst(opened)
    // Another call, so that nothing is found by it.
    const tool_calls = calls.map((one) => ({ ...one, function: { name: 'g', arguments: '{}' } }))
    const back = await sendBack(opened, { reasoning_details: foldByIndex(details), tool_calls })
    expect(back).toMatchObject([thought, redacted, { type: 'tool_use', name: 'g' }])
  })

  it('returns to its provider unchanged from a caller that sends the client’s final message, which has only the last details', async () => {
    needsOneProcess('another process learns of the reasoning a moment later')
    await using opened = await open(call)
    const { message } = await askFirst(opened)
    expect(await sendBack(opened, message)).toMatchObject([thought, call])
  })
})
