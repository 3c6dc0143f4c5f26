import { isJsonObject, type JsonValue } from '../kit/json.ts'
import { parseJson } from '../kit/parse-json.ts'
import type { Failure } from './failure.ts'
import { foldReply } from './fold-reply.ts'
import type { Reply } from './reply.ts'
import type { ReplyEvent } from './reply-event.ts'
import { unfoldReply } from './unfold-reply.ts'

/** How the caller knows a tool that a channel knows under another name, or as one that takes an object. */
export interface CallersTool {
  readonly name: string
  readonly kind: 'function' | 'custom'
}

/** By the name that the channel knows. */
export type CallersTools = ReadonlyMap<string, CallersTool>

/** The one property of the object that stands for a custom tool's free text. */
export const FREE_TEXT_PROPERTY = 'input'

/** Gives calls the names and the kinds that the caller gave the tools. One answer each. */
export function createCallRestorer(tools: CallersTools): (event: ReplyEvent) => readonly ReplyEvent[] {
  /** Of each open call of a custom tool, its input so far: the text within is known at the end alone. */
  const inputs = new Map<string, string>()
  return (event) => {
    if (!('block' in event)) return [event]
    const place = `${event.choice} ${event.block}`
    const held = inputs.get(place)
    if (event.type === 'block-start' && event.start.type === 'tool-call') {
      const tool = tools.get(event.start.name)
      if (tool === undefined) return [event]
      if (tool.kind === 'custom') inputs.set(place, '')
      return [{ ...event, start: { ...event.start, ...tool } }]
    }
    if (held === undefined) return [event]
    if (event.type === 'tool-input-delta') inputs.set(place, held + event.text)
    if (event.type !== 'block-end') return []
    inputs.delete(place)
    const { choice, block } = event
    return [{ type: 'tool-input-delta', choice, block, text: readFreeText(held) }, event]
  }
}

export function restoreCalls(reply: Reply, tools: CallersTools): Reply | Failure {
  return tools.size === 0 ? reply : foldReply(unfoldReply(reply).flatMap(createCallRestorer(tools)))
}

/** What the model wrote where it did not keep to the object. */
function readFreeText(input: string): string {
  const value = parseOrNothing(input)
  const text = isJsonObject(value) ? value[FREE_TEXT_PROPERTY] : undefined
  return typeof text === 'string' ? text : input
}

function parseOrNothing(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
