import { joinExtras } from '../../../canonical/format.ts'
import { createLossList, type LossList } from '../../../canonical/loss.ts'
import { isOfChoice, type ReplyEvent } from '../../../canonical/reply-event.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { addMembers } from '../../../kit/collections/add-members.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { addCost } from '../../fields/add-cost.ts'
import type { StreamWriter, StreamWriterOptions } from '../../reply-stream.ts'
import { writeErrorEvent } from '../errors/write-error.ts'
import type { AnswerShape } from './answer-shape.ts'
import { AnswerTimes } from './answer-times.ts'
import { type AnswerPiece, AnswerWriter } from './answer-writer.ts'
import { usagePath, writeEnd, writeHead } from './write-end.ts'

type ReplyStart = Extract<ReplyEvent, { readonly type: 'reply-start' }>
type ReplyEnd = Extract<ReplyEvent, { readonly type: 'reply-end' }>

/** Writes a streamed answer as lines of JSON. The last line has `done`, the reason for the end, and the counts. */
export function createStreamWriter(shape: AnswerShape, options: StreamWriterOptions): StreamWriter {
  return new LineWriter(shape, options)
}

class LineWriter implements StreamWriter {
  readonly #shape: AnswerShape
  readonly #losses: LossList = createLossList()
  readonly #answer: AnswerWriter
  readonly #times: AnswerTimes
  #start: ReplyStart = { type: 'reply-start', id: '', model: '' }
  /** The fields of the start event, which every line repeats. */
  #head: JsonObject = {}
  #usage: Usage | undefined
  #isOver = false

  constructor(shape: AnswerShape, { timer }: StreamWriterOptions) {
    this.#shape = shape
    this.#answer = new AnswerWriter(this.#losses, { isStream: true, hasCalls: shape.hasCalls })
    this.#times = new AnswerTimes(timer)
  }

  get losses() {
    return this.#losses.all
  }

  push(event: ReplyEvent): string {
    if (this.#isOver) return ''
    if (isOfChoice(event)) return this.#writePiece(this.#answer.push(event))
    switch (event.type) {
      case 'reply-start':
        this.#start = event
        this.#head = writeHead(event)
        return ''
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#end(event)
      case 'failure':
        this.#isOver = true
        return writeErrorEvent(event.failure)
      default:
        return unreachable(event)
    }
  }

  #writePiece(piece: AnswerPiece | undefined): string {
    if (piece === undefined) return ''
    this.#times.markPiece()
    const { call, ...said } = piece
    const fields = this.#shape.write(call === undefined ? said : { ...said, calls: [call] })
    const line: Record<string, JsonValue | undefined> = { ...this.#head }
    addMembers(line, fields)
    line['done'] = false
    return writeLine(line)
  }

  #end({ serviceTier, extras, cost }: ReplyEnd): string {
    this.#isOver = true
    const { stopReason } = this.#answer
    const end = {
      stopReason,
      usage: this.#usage,
      serviceTier: serviceTier ?? this.#start.serviceTier,
      extras: joinExtras(this.#start.extras, extras),
      times: this.#times,
    }
    const line = { ...this.#head, ...this.#shape.write({}), ...writeEnd(end, this.#losses) }
    return writeLine(addCost(line, usagePath, cost))
  }
}

function writeLine(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`
}
