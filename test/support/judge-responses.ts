import { countOf, type Fields, fieldsOf, type Gathered, listOf, textOf } from './judged.ts'

/** Reads a whole response, or what the last event of a stream says of it. */
export function gatherResponse(gathered: Gathered, value: unknown): void {
  const response = fieldsOf(value)
  gathered.error ??= response['error'] ?? undefined
  for (const item of listOf(response['output']).map(fieldsOf)) gatherItem(gathered, item)
  gatherEnd(gathered, response)
}

/** Reads one event of a stream of responses. Items count as they are at their end. */
export function gatherResponsesEvent(gathered: Gathered, value: unknown): void {
  const event = fieldsOf(value)
  switch (event['type']) {
    case 'response.output_item.done':
      gatherItem(gathered, fieldsOf(event['item']))
      return
    case 'response.completed':
    case 'response.incomplete':
      gathered.isTerminated = true
      gatherEnd(gathered, fieldsOf(event['response']))
      return
    case 'error':
      gathered.error ??= event['error'] ?? event
      return
    case 'response.failed':
      gathered.error ??= fieldsOf(event['response'])['error']
      return
    default:
  }
}

function gatherItem(gathered: Gathered, item: Fields): void {
  const name = textOf(item['name'])
  switch (item['type']) {
    case 'message':
      for (const part of listOf(item['content']).map(fieldsOf)) {
        gathered.text += textOf(part['text'])
        gathered.refusal += textOf(part['refusal'])
      }
      return
    case 'reasoning': {
      const parts = [...listOf(item['summary']), ...listOf(item['content'])]
      gathered.thinking += parts.map((part) => textOf(fieldsOf(part)['text'])).join('\n\n')
      return
    }
    case 'function_call':
      gathered.calls.push({ name, input: textOf(item['arguments']) })
      return
    case 'custom_tool_call':
      gathered.calls.push({ name, input: textOf(item['input']) })
      return
    default:
  }
}

const cuts: Readonly<Record<string, string>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
}

function gatherEnd(gathered: Gathered, response: Fields): void {
  const reason = textOf(fieldsOf(response['incomplete_details'])['reason'])
  if (response['status'] === 'incomplete') gathered.stop = cuts[reason] ?? 'pause_turn'
  if (response['status'] === 'completed') gathered.stop = gathered.refusal === '' ? 'stop' : 'refusal'
  const usage = fieldsOf(response['usage'])
  if (typeof usage['input_tokens'] !== 'number') return
  gathered.usage = {
    input: usage['input_tokens'],
    cacheRead: countOf(fieldsOf(usage['input_tokens_details'])['cached_tokens']),
    output: countOf(usage['output_tokens']),
  }
}
