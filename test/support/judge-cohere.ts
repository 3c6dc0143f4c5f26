import { countOf, type Fields, fieldsOf, type Gathered, listOf, textOf } from './judged.ts'

/** Reads a whole reply of Cohere's chat, version 2. A plan before calls is the model's thinking. */
export function gatherCohereReply(gathered: Gathered, value: unknown): void {
  const reply = fieldsOf(value)
  const message = fieldsOf(reply['message'])
  if (typeof reply['message'] === 'string') gathered.error = reply
  for (const part of listOf(message['content']).map(fieldsOf)) gatherPart(gathered, part)
  gathered.thinking += textOf(message['tool_plan'])
  for (const call of listOf(message['tool_calls']).map(fieldsOf)) gatherCall(gathered, call)
  gatherEnd(gathered, reply)
}

/** Reads one event of a stream of it. */
export function gatherCohereEvent(gathered: Gathered, value: unknown): void {
  const event = fieldsOf(value)
  const delta = fieldsOf(event['delta'])
  const message = fieldsOf(delta['message'])
  gathered.thinking += textOf(message['tool_plan'])
  if (event['type'] === 'content-start' || event['type'] === 'content-delta')
    gatherPart(gathered, fieldsOf(message['content']))
  if (event['type'] === 'tool-call-start') gatherCall(gathered, fieldsOf(message['tool_calls']))
  if (event['type'] === 'tool-call-delta') {
    const piece = fieldsOf(fieldsOf(message['tool_calls'])['function'])
    const last = gathered.calls.at(-1)
    if (last !== undefined) last.input += textOf(piece['arguments'])
  }
  if (event['type'] !== 'message-end') return
  gathered.isTerminated = true
  gatherEnd(gathered, delta)
}

function gatherPart(gathered: Gathered, part: Fields): void {
  gathered.text += textOf(part['text'])
  gathered.thinking += textOf(part['thinking'])
}

function gatherCall(gathered: Gathered, call: Fields): void {
  const { name, arguments: input } = fieldsOf(call['function'])
  gathered.calls.push({ name: textOf(name), input: textOf(input) })
}

const ends: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
}

/** Pictures are counted beside the other input. */
function gatherEnd(gathered: Gathered, end: Fields): void {
  const word = textOf(end['finish_reason'])
  gathered.stop = ends[word] ?? word
  const usage = fieldsOf(end['usage'])
  const tokens = fieldsOf(usage['tokens'])
  if (typeof tokens['input_tokens'] !== 'number') return
  gathered.usage = {
    input: tokens['input_tokens'] + countOf(tokens['image_tokens']),
    cacheRead: countOf(usage['cached_tokens']),
    output: countOf(tokens['output_tokens']),
  }
}
