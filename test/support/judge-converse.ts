import { countOf, type Fields, fieldsOf, type Gathered, listOf, textOf } from './judged.ts'

/** Reads a whole reply of Bedrock's Converse. Tools that the provider runs are no calls of the caller's. */
export function gatherConverseReply(gathered: Gathered, value: unknown): void {
  const reply = fieldsOf(value)
  if (reply['output'] === undefined) gathered.error = reply
  const message = fieldsOf(fieldsOf(reply['output'])['message'])
  for (const block of listOf(message['content']).map(fieldsOf)) {
    gathered.text += textOf(block['text'])
    for (const part of listOf(fieldsOf(block['citationsContent'])['content']))
      gathered.text += textOf(fieldsOf(part)['text'])
    gathered.thinking += textOf(fieldsOf(fieldsOf(block['reasoningContent'])['reasoningText'])['text'])
    const call = fieldsOf(block['toolUse'])
    if (isOwnCall(call))
      gathered.calls.push({ name: textOf(call['name']), input: JSON.stringify(call['input']) })
  }
  gatherEnd(gathered, reply)
}

/** Reads one event of a stream of it, as an object under the event's name. */
export function gatherConverseEvent(gathered: Gathered, value: unknown): void {
  const event = fieldsOf(value)
  const start = fieldsOf(fieldsOf(fieldsOf(event['contentBlockStart'])['start'])['toolUse'])
  if (event['contentBlockStart'] !== undefined) gathered.isCallOpen = isOwnCall(start)
  if (isOwnCall(start)) gathered.calls.push({ name: textOf(start['name']), input: '' })
  const delta = fieldsOf(fieldsOf(event['contentBlockDelta'])['delta'])
  gathered.text += textOf(delta['text'])
  gathered.thinking += textOf(fieldsOf(delta['reasoningContent'])['text'])
  const last = gathered.calls.at(-1)
  if (last !== undefined && gathered.isCallOpen) last.input += textOf(fieldsOf(delta['toolUse'])['input'])
  gatherEnd(gathered, fieldsOf(event['messageStop']))
  gatherEnd(gathered, fieldsOf(event['metadata']))
  if (event['messageStop'] !== undefined) gathered.isTerminated = true
}

function isOwnCall(call: Fields): boolean {
  return call['toolUseId'] !== undefined && (call['type'] ?? 'tool_use') === 'tool_use'
}

function gatherEnd(gathered: Gathered, end: Fields): void {
  const word = end['stopReason']
  if (typeof word === 'string')
    gathered.stop = word === 'guardrail_intervened' || word === 'content_filtered' ? 'content_filter' : word
  const usage = fieldsOf(end['usage'])
  if (typeof usage['inputTokens'] !== 'number') return
  const cacheRead = countOf(usage['cacheReadInputTokens'])
  const input = usage['inputTokens'] + cacheRead + countOf(usage['cacheWriteInputTokens'])
  gathered.usage = { input, cacheRead, output: countOf(usage['outputTokens']) }
}
