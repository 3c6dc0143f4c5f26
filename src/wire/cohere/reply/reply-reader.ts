import { createFailure, type Failure, isFailure } from '../../../canonical/failure.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { readErrorInside } from '../../errors/read-error.ts'
import { CharacterCounter, readCitations } from '../values/read-citation.ts'
import { readUsage } from '../values/read-usage.ts'
import { readFinish } from '../values/stop-reason.ts'

const none: readonly ReplyEvent[] = []

interface OpenBlock {
  readonly block: number
  /** Its place in the answer: `plan`, or a part's or a call's index with its kind. */
  readonly position: string
  readonly type: 'text' | 'thinking' | 'tool-call'
  said: string
}

/**
 * Reads the events of one answer (https://docs.cohere.com/docs/streaming, seen 2026-11-20). Texts stay open until
 * something else begins, since sources may be told after their end. What is not known is skipped. `take` never throws.
 */
export class ReplyReader {
  isOver = false
  #isStarted = false
  #hasCalls = false
  #blockCount = 0
  #events: ReplyEvent[] = []
  readonly #characters = new CharacterCounter()
  /** By their places. */
  readonly #open = new Map<string, OpenBlock>()
  /** The open ones that are texts and thinking; few at a time, since each begins after the end of those before. */
  readonly #words = new Set<OpenBlock>()

  take(event: JsonObject): readonly ReplyEvent[] {
    if (this.isOver) return none
    const failure = typeof event['type'] === 'string' ? undefined : readErrorInside(event)
    if (failure !== undefined) return this.fail(failure)
    this.#takeEvent(event)
    const events = this.#events
    this.#events = []
    return events
  }

  fail(failure: Failure): readonly ReplyEvent[] {
    this.isOver = true
    return [{ type: 'failure', failure }]
  }

  #takeEvent(event: JsonObject): void {
    const delta = objectIn(event['delta'])
    const message = objectIn(delta['message'])
    switch (event['type']) {
      case 'message-start':
        this.#start(event['id'])
        return
      case 'content-start':
      case 'content-delta':
        this.#growContent(`content ${scalarText(event['index'])}`, objectIn(message['content']))
        return
      case 'tool-plan-delta':
        if (typeof message['tool_plan'] === 'string') this.#grow('thinking', 'plan', message['tool_plan'])
        return
      case 'tool-call-start':
        this.#startCall(event['index'], objectIn(message['tool_calls']))
        return
      case 'tool-call-delta':
        this.#growCall(event['index'], objectIn(message['tool_calls']))
        return
      case 'tool-call-end':
        this.#end(this.#open.get(placeOfCall(event['index'])))
        return
      case 'citation-start':
        this.#cite(objectIn(message['citations']))
        return
      case 'message-end':
        this.#finish(event['id'], delta)
        return
      default:
    }
  }

  #start(id: JsonValue | undefined): void {
    if (this.#isStarted) return
    this.#isStarted = true
    // The provider does not say which model answered.
    this.#events.push({ type: 'reply-start', id: typeof id === 'string' ? id : '', model: '' })
  }

  #growContent(position: string, { type, text, thinking }: JsonObject): void {
    const isThinking = type === 'thinking' || typeof thinking === 'string'
    const said = isThinking ? thinking : text
    this.#grow(isThinking ? 'thinking' : 'text', position, typeof said === 'string' ? said : '')
  }

  #grow(type: 'text' | 'thinking', position: string, text: string): void {
    const known = this.#open.get(position)
    const open = known?.type === type ? known : this.#openBlock(type, position, { type })
    open.said += text
    if (text !== '') this.#events.push({ type: 'text-delta', choice: 0, block: open.block, text })
  }

  #openBlock(type: OpenBlock['type'], position: string, start: BlockStart): OpenBlock {
    this.#start(undefined)
    this.#end(this.#open.get(position))
    for (const words of this.#words) this.#end(words)
    const open: OpenBlock = { block: this.#blockCount, position, type, said: '' }
    this.#blockCount += 1
    this.#open.set(position, open)
    if (type !== 'tool-call') this.#words.add(open)
    const unsigned = type === 'thinking' ? { isUnsigned: true as const } : {}
    this.#events.push({ type: 'block-start', choice: 0, block: open.block, start, ...unsigned })
    return open
  }

  #startCall(index: JsonValue | undefined, call: JsonObject): void {
    const { name, arguments: input } = objectIn(call['function'])
    const id = typeof call['id'] === 'string' ? call['id'] : `call_${this.#blockCount}`
    const start = {
      type: 'tool-call',
      id,
      name: typeof name === 'string' ? name : '',
      kind: 'function',
    } as const
    this.#hasCalls = true
    this.#openBlock('tool-call', placeOfCall(index), start)
    if (typeof input === 'string') this.#growCall(index, { function: { arguments: input } })
  }

  #growCall(index: JsonValue | undefined, call: JsonObject): void {
    const { arguments: text } = objectIn(call['function'])
    const open = this.#open.get(placeOfCall(index))
    if (open === undefined || typeof text !== 'string' || text === '') return
    this.#events.push({ type: 'tool-input-delta', choice: 0, block: open.block, text })
  }

  /** Sources of a plan or of thinking have no place. */
  #cite(citation: JsonObject): void {
    const { content_index: index } = citation
    const open =
      typeof index === 'number'
        ? this.#open.get(`content ${index}`)
        : [...this.#words].find(({ type }) => type === 'text')
    if (open?.type !== 'text') return
    for (const read of readCitations(citation, open.said, this.#characters)) {
      this.#events.push({ type: 'citation-delta', choice: 0, block: open.block, citation: read })
    }
  }

  #end(open: OpenBlock | undefined): void {
    if (open === undefined) return
    this.#open.delete(open.position)
    this.#words.delete(open)
    this.#events.push({ type: 'block-end', choice: 0, block: open.block })
  }

  #finish(id: JsonValue | undefined, end: JsonObject): void {
    this.#start(id)
    for (const open of this.#open.values()) this.#end(open)
    const finish = readFinish(end, this.#hasCalls)
    const failure = isFailure(finish) ? finish : this.#findSilence(finish.stopReason)
    this.isOver = true
    if (failure !== undefined) {
      this.#events.push({ type: 'failure', failure })
      return
    }
    const usage = readUsage(end['usage'])
    if (isFailure(finish)) return
    const { stopReason, more } = finish
    const extras: Extras | undefined = more === undefined ? undefined : { format: 'cohere', fields: more }
    this.#events.push(omitUndefined({ type: 'choice-end' as const, choice: 0, stopReason, extras }))
    if (usage !== undefined) this.#events.push({ type: 'usage', usage })
    this.#events.push({ type: 'reply-end' })
  }

  /** An answer that said nothing and gave no reason for its end is none. */
  #findSilence(stopReason: unknown): Failure | undefined {
    return this.#blockCount === 0 && stopReason === undefined ? createFailure('upstream_empty') : undefined
  }
}

const empty: JsonObject = {}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : empty
}

function placeOfCall(index: JsonValue | undefined): string {
  return `call ${scalarText(index)}`
}
