import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const response = { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] }
const item = { type: 'message', id: 'i', status: 'in_progress', role: 'assistant', content: [] }
const place = { item_id: 'i', output_index: 0, content_index: 0 }
const events = [
  { type: 'response.created', response },
  { type: 'response.in_progress', response },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.output_text.delta', ...place, delta: 'Say "sequence_number":99' },
]
const ofResponses = events.map(
  (event, sequence_number) =>
    `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
)
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const ofChat = [
  `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] })}\n\n`,
]

/** The text of a stream up to its break. */
async function readToBreak({ body }: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      text += decoder.decode(read.value, { stream: true })
  } catch {
    // The gateway cuts the connection after the error.
  }
  return text
}

it.each([
  ['responses', ofResponses],
  ['chat', ofChat],
] as const)(
  'the events that end a broken response go on with its numbers, on a channel of %s',
  async (format, chunks) => {
    await using open = await openGateway({ scripts: [sseAnswer(chunks, 'reset')], format })
    const answer = await fetch(`${open.gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'Hi', stream: true }),
    })
    const text = await readToBreak(answer)
    expect(text).toContain('event: error\n')
    expect(text).toContain('event: response.failed\n')
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, digits]) => Number(digits))
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(numbers.length).toBeGreaterThan(5)
  },
)
