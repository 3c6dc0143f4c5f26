import { type Extras, joinExtras } from '../../../canonical/format.ts'
import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import { isOfBlock, isOfChoice, type ReplyEvent } from '../../../canonical/reply-event.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { addMembers } from '../../../kit/collections/add-members.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { addCost } from '../../fields/add-cost.ts'
import type { StreamWriter, StreamWriterOptions } from '../../reply-stream.ts'
import type { UsagePath } from '../../wire-format.ts'
import { writeFailedEnd } from '../errors/write-error.ts'
import { findCut, writeStopReason } from '../values/stop-reason.ts'
import { itemNameOf, OutputWriter } from './output-writer.ts'
import { writeFrame } from './write-frame.ts'
import { type ResponseHead, writeHead, writeWhole } from './write-response.ts'

/** Empty, since no frame follows the event with the whole answer. */
export const terminator = ''

/** The path of the usage in the event that ends a stream. */
export const eventUsagePath: UsagePath = ['response', 'usage']

/** Writes a streamed answer for a caller: its items as they grow, and the whole answer again at the end. */
export function createStreamWriter({ requestId, ...form }: StreamWriterOptions): StreamWriter {
  return new ResponsesStreamWriter(requestId, form)
}

type ChoiceEnd = Extract<ReplyEvent, { readonly type: 'choice-end' }>
type ReplyEnd = Extract<ReplyEvent, { readonly type: 'reply-end' }>

class ResponsesStreamWriter implements StreamWriter {
  readonly keepsText = true
  readonly #losses: LossList = createLossList()
  readonly #requestId: string
  readonly #form: Pick<AnswerForm, 'stored' | 'metadata'>
  response: JsonObject | undefined
  #items: OutputWriter
  #head: ResponseHead = { id: '', model: '' }
  #startTier: ServedTier | undefined
  #startExtras: Extras | undefined
  #choiceEnd: ChoiceEnd | undefined
  #usage: Usage | undefined
  #logprobs: { content?: JsonValue[]; refusal?: JsonValue[] } | undefined
  #sequence = 0
  #isOver = false

  constructor(requestId: string, { stored, metadata }: AnswerForm) {
    this.#requestId = requestId
    this.#form = { stored, metadata }
    this.#items = new OutputWriter('', this.#losses, { isRepeated: true })
  }

  get losses() {
    return this.#losses.all
  }

  push(event: ReplyEvent): string {
    if (this.#isOver) return ''
    if (isOfChoice(event) && event.choice > 0) {
      this.#losses.lose('choices', 'dropped')
      return ''
    }
    if (isOfBlock(event)) return this.#write(this.#items.push(event))
    switch (event.type) {
      case 'reply-start':
        return this.#start(event)
      case 'logprobs-delta':
        return this.#writeLogprobs(event.logprobs)
      case 'choice-end':
        this.#choiceEnd = event
        return this.#write(this.#endItems())
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#end(event)
      case 'failure':
        this.#isOver = true
        return (
          this.#write(this.#items.endLast()) + writeFailedEnd(event.failure, this.#requestId, this.#sequence)
        )
      default:
        return unreachable(event)
    }
  }

  #write(events: readonly JsonObject[]): string {
    let text = ''
    for (const event of events) {
      const numbered = { type: event['type'] ?? '', sequence_number: this.#sequence }
      addMembers<JsonValue>(numbered, event)
      text += writeFrame(numbered)
      this.#sequence += 1
    }
    return text
  }

  #start(start: Extract<ReplyEvent, { readonly type: 'reply-start' }>): string {
    this.#head = { ...start, ...this.#form }
    this.#startTier = start.serviceTier
    this.#startExtras = start.extras
    this.#items = new OutputWriter(itemNameOf(start.id, this.#form.stored), this.#losses, {
      isRepeated: true,
    })
    const response = writeHead(this.#head)
    return this.#write([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ])
  }

  #endItems(): readonly JsonObject[] {
    return this.#items.endAll(findCut(this.#choiceEnd ?? {}, this.#items.inspection) !== undefined)
  }

  #writeLogprobs({ content, refusal }: LogProbs): string {
    const events = content === undefined || content.length === 0 ? [] : this.#items.addLogprobs(content)
    this.#holdLogprobs(events === undefined ? { content, refusal } : { refusal })
    return this.#write(events ?? [])
  }

  /** Adds log probabilities that belong to no open text. */
  #holdLogprobs(more: { readonly [List in keyof LogProbs]: LogProbs[List] | undefined }): void {
    if (more.content === undefined && more.refusal === undefined) return
    this.#logprobs ??= {}
    for (const list of ['content', 'refusal'] as const) {
      const entries = more[list]
      if (entries === undefined) continue
      this.#logprobs[list] ??= []
      for (const entry of entries) this.#logprobs[list].push(entry)
    }
  }

  #end({ serviceTier, extras, cost }: ReplyEnd): string {
    this.#isOver = true
    const ended = this.#write(this.#endItems())
    const stop = writeStopReason(this.#choiceEnd ?? {}, this.#items.inspection, this.#losses)
    const whole = writeWhole(
      this.#head,
      {
        stop,
        output: this.#items.output,
        usage: this.#usage,
        logprobs: this.#logprobs,
        serviceTier: serviceTier ?? this.#startTier,
        extras: joinExtras(this.#startExtras, extras),
      },
      this.#losses,
    )
    this.response = whole
    const type = whole['status'] === 'completed' ? 'response.completed' : 'response.incomplete'
    return ended + this.#write([addCost({ type, response: whole }, eventUsagePath, cost)])
  }
}
