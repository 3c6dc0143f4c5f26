import { countOf, type Fields, fieldsOf, type Gathered, listOf, textOf } from './judged.ts'

/** Reads a whole reply of the messages format. */
export function gatherMessage(gathered: Gathered, value: unknown): void {
  const message = fieldsOf(value)
  gathered.error ??= message['error'] ?? undefined
  for (const block of listOf(message['content']).map(fieldsOf)) startBlock(gathered, block)
  if (typeof message['stop_reason'] === 'string') gathered.stop = message['stop_reason']
  addUsage(gathered, message['usage'])
}

/** Reads one event of a messages stream. */
export function gatherMessagesEvent(gathered: Gathered, value: unknown): void {
  const event = fieldsOf(value)
  const delta = fieldsOf(event['delta'])
  switch (event['type']) {
    case 'message_start':
      addUsage(gathered, fieldsOf(event['message'])['usage'])
      break
    case 'content_block_start':
      startBlock(gathered, fieldsOf(event['content_block']))
      break
    case 'content_block_delta':
      addDelta(gathered, delta)
      break
    case 'message_delta':
      if (typeof delta['stop_reason'] === 'string') gathered.stop = delta['stop_reason']
      addUsage(gathered, event['usage'])
      break
    case 'message_stop':
      gathered.isTerminated = true
      break
    case 'error':
      gathered.error = event['error']
      break
  }
}

function startBlock(gathered: Gathered, block: Fields): void {
  if (block['type'] === 'text') gathered.text += textOf(block['text'])
  if (block['type'] === 'thinking') gathered.thinking += textOf(block['thinking'])
  gathered.isCallOpen = block['type'] === 'tool_use'
  if (!gathered.isCallOpen) return
  const input = Object.keys(fieldsOf(block['input'])).length === 0 ? '' : JSON.stringify(block['input'])
  gathered.calls.push({ name: textOf(block['name']), input })
}

function addDelta(gathered: Gathered, delta: Fields): void {
  if (delta['type'] === 'text_delta') gathered.text += textOf(delta['text'])
  if (delta['type'] === 'thinking_delta') gathered.thinking += textOf(delta['thinking'])
  if (delta['type'] !== 'input_json_delta') return
  const call = gathered.calls.at(-1)
  // The input of tools that the provider runs comes the same way and belongs to no call of the caller's.
  if (call !== undefined && gathered.isCallOpen) call.input += textOf(delta['partial_json'])
}

/** Counts of a later event stand above those of an earlier one; what it leaves out stays. */
function addUsage(gathered: Gathered, value: unknown): void {
  const usage = fieldsOf(value)
  const before = gathered.messagesUsage
  for (const name of countNames) {
    if (typeof usage[name] === 'number') before[name] = usage[name]
  }
  for (const name of Array.isArray(usage['iterations']) ? countNames : []) {
    before[`compaction ${name}`] = sumOfCompactions(usage['iterations'], name)
  }
  if (Object.keys(before).length === 0) return
  const count = (name: string) => countOf(before[name]) + countOf(before[`compaction ${name}`])
  const cacheRead = count('cache_read_input_tokens')
  gathered.usage = {
    input: count('input_tokens') + cacheRead + count('cache_creation_input_tokens'),
    cacheRead,
    output: count('output_tokens'),
  }
}

/** Billed, and "not included in the top-level `usage` fields" (`BetaUsage.iterations`, @anthropic-ai/sdk 1.11.0). */
function sumOfCompactions(iterations: unknown, name: string): number {
  const entries = Array.isArray(iterations) ? iterations.map(fieldsOf) : []
  const ofCompactions = entries.filter(({ type }) => type === 'compaction' || type === 'advisor_message')
  return ofCompactions.reduce((sum, entry) => sum + countOf(entry[name]), 0)
}

const countNames = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const
