import type { AssistantTurn, ToolCall } from './conversation.ts'
import { isObject, type JsonBody } from './write-chat-body.ts'

/** Adds one chunk of a chat stream to a response. `elapsedMs` is the time since the request was sent. */
export function addChunk(turn: AssistantTurn, chunk: unknown, elapsedMs: number): AssistantTurn {
  if (!isObject(chunk)) return turn
  if (isObject(chunk['error'])) return { ...turn, state: 'failed', error: textOf(chunk['error']['message']) }
  const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
  const delta = isObject(choice) && isObject(choice['delta']) ? choice['delta'] : {}
  const added = {
    ...turn,
    // A model that refuses may say so in a field of its own, and has no other text then.
    text: turn.text + textOf(delta['content']) + textOf(delta['refusal']),
    reasoning: turn.reasoning + textOf(delta['reasoning_content'] ?? delta['reasoning']),
    calls: addCalls(turn.calls, delta['tool_calls']),
    cutBy: readCut(choice) ?? turn.cutBy,
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

function readCut(choice: unknown): AssistantTurn['cutBy'] {
  const reason = isObject(choice) ? choice['finish_reason'] : undefined
  return reason === 'length' || reason === 'content_filter' ? reason : null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function addCalls(calls: AssistantTurn['calls'], deltas: unknown): AssistantTurn['calls'] {
  return Array.isArray(deltas) ? deltas.filter(isObject).map(readPiece).reduce(addPiece, calls) : calls
}

function readPiece({ id, index, function: called }: JsonBody): ToolCall {
  const { name, arguments: input } = isObject(called) ? called : {}
  return {
    id: textOf(id),
    index: typeof index === 'number' ? index : null,
    name: textOf(name),
    // Some servers send the arguments as an object.
    input: isObject(input) ? JSON.stringify(input) : textOf(input),
  }
}

function addPiece(calls: AssistantTurn['calls'], piece: ToolCall): AssistantTurn['calls'] {
  const at = findCall(calls, piece)
  const before = calls[at]
  if (before === undefined) return [...calls, piece]
  const { id, name, input } = before
  // Some servers repeat the ID and the name with each piece.
  return calls.with(at, {
    ...before,
    id: id === '' ? piece.id : id,
    name: name === '' ? piece.name : name,
    input: input + piece.input,
  })
}

/** Finds the call that a piece continues. Servers mark a new call by its index, by its ID, or by neither. */
function findCall(calls: AssistantTurn['calls'], { id, index }: ToolCall): number {
  if (id === '' && index === null) return calls.length - 1
  return calls.findLastIndex(
    (call) => (index === null || call.index === index) && (id === '' || call.id === '' || call.id === id),
  )
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
