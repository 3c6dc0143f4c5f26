import { countOf, type Fields, fieldsOf, type Gathered, type JudgedUsage, listOf, textOf } from './judged.ts'

/** Reads a whole reply of the chat format, its first choice. */
export function gatherChatReply(gathered: Gathered, value: unknown): void {
  gather(gathered, value, 'message')
}

/** Reads one chunk of a chat stream. */
export function gatherChatChunk(gathered: Gathered, value: unknown): void {
  gather(gathered, value, 'delta')
}

function gather(gathered: Gathered, value: unknown, name: 'message' | 'delta'): void {
  const reply = fieldsOf(value)
  gathered.error ??= reply['error'] ?? undefined
  gathered.usage = readUsage(reply) ?? gathered.usage
  const choice = listOf(reply['choices'])
    .map(fieldsOf)
    .find((each) => countOf(each['index']) === 0)
  if (choice === undefined) return
  if (typeof choice['finish_reason'] === 'string') gathered.stop = choice['finish_reason']
  gatherMessage(gathered, fieldsOf(choice[name]))
}

function gatherMessage(gathered: Gathered, message: Fields): void {
  gatherContent(gathered, message['content'])
  // Providers name reasoning in several ways; some send the same words under two of them.
  gathered.thinking +=
    textOf(message['reasoning_content']) || textOf(message['reasoning']) || detailsText(message)
  gathered.refusal += textOf(message['refusal'])
  for (const call of listOf(message['tool_calls'])) gatherCall(gathered, fieldsOf(call))
  if (message['function_call']) gatherCall(gathered, { index: 0, function: message['function_call'] })
}

/** The words of reasoning that a server sends only with their signatures. */
function detailsText({ reasoning_details: details }: Fields): string {
  return listOf(details)
    .map((detail) => textOf(fieldsOf(detail)['text']))
    .join('')
}

/** A string, or parts as Mistral sends them: text, and thinking that holds text parts. */
function gatherContent(gathered: Gathered, content: unknown): void {
  gathered.text += textOf(content)
  for (const part of listOf(content).map(fieldsOf)) {
    if (part['type'] === 'text') gathered.text += textOf(part['text'])
    if (part['type'] === 'refusal') gathered.refusal += textOf(part['refusal'])
    for (const thought of listOf(part['thinking'])) gathered.thinking += textOf(fieldsOf(thought)['text'])
  }
}

/** A call, or a piece of one: a piece has no name, or an index that was seen before. */
function gatherCall(gathered: Gathered, call: Fields): void {
  const body = call['type'] === 'custom' ? fieldsOf(call['custom']) : fieldsOf(call['function'])
  const raw = body['arguments'] ?? body['input']
  const input = typeof raw === 'object' && raw !== null ? JSON.stringify(raw) : textOf(raw)
  const { calls } = gathered
  const name = textOf(body['name'])
  const index =
    typeof call['index'] === 'number' ? call['index'] : name === '' ? calls.length - 1 : calls.length
  const known = gathered.callKeys.get(index)
  const id = textOf(call['id'])
  const isSame = known !== undefined && (name === '' || id === '' || id === known.id)
  if (isSame) {
    known.call.input += input
    return
  }
  const opened = { name, input }
  calls.push(opened)
  gathered.callKeys.set(index, { id, call: opened })
}

/** Classes made comparable: cached input is part of input, reasoning is part of output. */
function readUsage(reply: Fields): JudgedUsage | undefined {
  const usage = fieldsOf(reply['usage'] ?? fieldsOf(reply['x_groq'])['usage'])
  if (typeof usage['prompt_tokens'] !== 'number') return undefined
  const input = usage['prompt_tokens']
  const completion = countOf(usage['completion_tokens'])
  const details = fieldsOf(usage['prompt_tokens_details'])
  const cached = countOf(details['cached_tokens'])
  // Grok at Azure counts cached input beside the prompt, whose parts then fill it alone.
  const filled = countOf(details['text_tokens']) + countOf(details['image_tokens'])
  const isCachedBeside = cached > input && filled === input
  const reasoning = countOf(fieldsOf(usage['completion_tokens_details'])['reasoning_tokens'])
  // Some providers count reasoning beside the completion; the total gives them away.
  const isBeside = reasoning > 0 && usage['total_tokens'] === input + completion + reasoning
  return {
    input: input + (isCachedBeside ? cached : 0),
    cacheRead: cached || countOf(usage['prompt_cache_hit_tokens']),
    output: completion + (isBeside ? reasoning : 0),
  }
}
