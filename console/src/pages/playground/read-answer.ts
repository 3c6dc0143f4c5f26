import type { AssistantTurn } from './conversation.ts'
import { isObject } from './write-chat-body.ts'

/** Adds one chunk of a chat stream to a response. `elapsedMs` is the time since the request was sent. */
export function addChunk(turn: AssistantTurn, chunk: unknown, elapsedMs: number): AssistantTurn {
  if (!isObject(chunk)) return turn
  if (isObject(chunk['error'])) return { ...turn, state: 'failed', error: textOf(chunk['error']['message']) }
  const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
  const delta = isObject(choice) && isObject(choice['delta']) ? choice['delta'] : {}
  const added = {
    ...turn,
    text: turn.text + textOf(delta['content']),
    reasoning: turn.reasoning + textOf(delta['reasoning_content'] ?? delta['reasoning']),
    calls: addCalls(turn.calls, delta['tool_calls']),
  }
  const isFirst =
    turn.figures.firstMs === null && (added.text !== '' || added.reasoning !== '' || added.calls.length > 0)
  return {
    ...added,
    figures: {
      ...turn.figures,
      ...(isFirst && { firstMs: elapsedMs }),
      ...readUsage(chunk['usage']),
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function addCalls(calls: AssistantTurn['calls'], deltas: unknown): AssistantTurn['calls'] {
  if (!Array.isArray(deltas)) return calls
  const next = [...calls]
  for (const delta of deltas) {
    if (!isObject(delta)) continue
    const index = typeof delta['index'] === 'number' ? delta['index'] : next.length
    const called = isObject(delta['function']) ? delta['function'] : {}
    const before = next[index] ?? { id: '', name: '', input: '' }
    next[index] = {
      id: before.id + textOf(delta['id']),
      name: before.name + textOf(called['name']),
      input: before.input + textOf(called['arguments']),
    }
  }
  return next.filter((call) => call !== undefined)
}

function readUsage(usage: unknown): Partial<AssistantTurn['figures']> {
  if (!isObject(usage)) return {}
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
  return {
    inputTokens: numberOf(usage['prompt_tokens']),
    outputTokens: numberOf(usage['completion_tokens']),
    costUsd: numberOf(usage['cost']),
  }
}
