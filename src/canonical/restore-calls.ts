import { isJsonObject, type JsonValue } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { Failure } from './failure.ts'
import { foldReply } from './fold-reply.ts'
import type { Reply } from './reply.ts'
import { isOfBlock, type ReplyEvent } from './reply-event.ts'
import { unfoldReply } from './unfold-reply.ts'

/**
 * The caller's form of a tool that a channel knows under another name, or as a tool that accepts an object. A call of
 * an `answer` is the answer itself, in JSON, since the caller does not know of any tool.
 */
export interface CallerTool {
  readonly name: string
  readonly kind: 'function' | 'custom' | 'answer'
}

/** The caller's tools by the names that the channel knows. */
export type CallerTools = ReadonlyMap<string, CallerTool>

/** The one property of the object that carries a custom tool's free text. */
export const FREE_TEXT_PROPERTY = 'input'

/** Creates a function that gives calls the names and kinds of the caller's tools. Each function is for one answer. */
export function createCallRestorer(tools: CallerTools): (event: ReplyEvent) => readonly ReplyEvent[] {
  return new CallRestorer(tools).restore
}

class CallRestorer {
  readonly #tools: CallerTools
  /** The input so far of each open call of a custom tool. The text within the input is known only at the end. */
  readonly #inputs = new Map<string, string>()
  /** The open calls that are the answer. */
  readonly #answers = new Set<string>()
  /** The choices that contain such an answer. */
  readonly #answered = new Set<number>()
  /** The blocks with a second answer. They are left out, since two JSON texts in a row are no JSON. */
  readonly #surplus: Pick<BlockStartEvent, 'choice' | 'block'>[] = []

  constructor(tools: CallerTools) {
    this.#tools = tools
  }

  readonly restore = (event: ReplyEvent): readonly ReplyEvent[] => {
    const restored = this.#restore(event)
    return this.#surplus.length === 0 ? restored : restored.flatMap((each) => this.#withoutSurplus(each))
  }

  #restore(event: ReplyEvent): readonly ReplyEvent[] {
    if (event.type === 'choice-end') return [this.#endChoice(event)]
    if (!isOfBlock(event)) return [event]
    const position = `${event.choice} ${event.block}`
    if (event.type === 'block-start') return [this.#start(event, position)]
    if (this.#answers.has(position)) return [this.#sayAnswer(event)]
    const held = this.#inputs.get(position)
    if (held === undefined) return [event]
    if (event.type === 'tool-input-delta') this.#inputs.set(position, held + event.text)
    if (event.type !== 'block-end') return []
    this.#inputs.delete(position)
    const { choice, block } = event
    return [{ type: 'tool-input-delta', choice, block, text: readFreeText(held) }, event]
  }

  #start(event: BlockStartEvent, position: string): ReplyEvent {
    const { start } = event
    const tool = start.type === 'tool-call' ? this.#tools.get(start.name) : undefined
    if (start.type !== 'tool-call' || tool === undefined) return event
    const { name, kind } = tool
    if (kind === 'answer') {
      this.#answers.add(position)
      if (this.#answered.has(event.choice)) this.#surplus.push(event)
      this.#answered.add(event.choice)
      return { ...event, start: { type: 'text' } }
    }
    // A channel that has free-text tools itself sends the text unchanged.
    if (kind === 'custom' && start.kind !== 'custom') this.#inputs.set(position, '')
    return { ...event, start: { ...start, name, kind } }
  }

  #sayAnswer(event: ReplyEvent): ReplyEvent {
    return event.type === 'tool-input-delta' ? { ...event, type: 'text-delta' } : event
  }

  /** Leaves out surplus blocks. Later blocks get their numbers. */
  #withoutSurplus(event: ReplyEvent): readonly ReplyEvent[] {
    if (!isOfBlock(event)) return [event]
    const here = this.#surplus.filter(({ choice }) => choice === event.choice)
    if (here.some(({ block }) => block === event.block)) return []
    const before = here.filter(({ block }) => block < event.block).length
    return [{ ...event, block: event.block - before }]
  }

  /** Changes the end of a choice whose answer was a call to a normal end. */
  #endChoice(event: Extract<ReplyEvent, { readonly type: 'choice-end' }>): ReplyEvent {
    const isAnswer = this.#answered.has(event.choice) && event.stopReason === 'tool-calls'
    return isAnswer ? { ...event, stopReason: 'end' } : event
  }
}

type BlockStartEvent = Extract<ReplyEvent, { readonly type: 'block-start' }>

export function restoreCalls(reply: Reply, tools: CallerTools): Reply | Failure {
  return tools.size === 0 ? reply : foldReply(unfoldReply(reply).flatMap(createCallRestorer(tools)))
}

/** An escape without its end. */
const CUT_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i

/**
 * Reads the text that the model wrote. Returns the input unchanged where the model did not write the expected object.
 * Where the object was cut off within the text, returns the beginning of the text.
 */
function readFreeText(input: string): string {
  const value = tryParseJson(input) ?? completeObject(input)
  const text = isJsonObject(value) ? value[FREE_TEXT_PROPERTY] : undefined
  return typeof text === 'string' ? text : input
}

function completeObject(input: string): JsonValue | undefined {
  return (
    tryParseJson(`${input}"}`) ??
    tryParseJson(`${input}}`) ??
    tryParseJson(`${input.replace(CUT_ESCAPE, '')}"}`)
  )
}
