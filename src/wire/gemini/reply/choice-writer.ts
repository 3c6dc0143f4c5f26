import type { LossList } from '../../../canonical/loss.ts'
import type { ChoiceEvent, ReplyEvent } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { LastCall } from '../../tools/last-call.ts'
import { CandidateWriter } from './candidate-writer.ts'
import { LogprobsWriter } from './logprobs-writer.ts'
import { writeCandidateEnd } from './write-response.ts'

/** Writes one choice of an answer: its parts as they arrive, and at the end the final candidate. */
export class ChoiceWriter {
  readonly #index: number
  readonly #losses: LossList
  readonly #writer: CandidateWriter
  readonly #lastCall: LastCall
  #logprobs: LogprobsWriter | undefined
  #end: Extract<ReplyEvent, { readonly type: 'choice-end' }> | undefined

  constructor(index: number, losses: LossList) {
    this.#index = index
    this.#losses = losses
    this.#writer = new CandidateWriter(losses)
    this.#lastCall = new LastCall(losses)
  }

  push(event: ChoiceEvent): readonly JsonObject[] {
    return this.#lastCall.push(event).flatMap((each) => this.#write(each))
  }

  #write(event: ChoiceEvent): readonly JsonObject[] {
    switch (event.type) {
      case 'logprobs-delta':
        this.#logprobs ??= new LogprobsWriter()
        this.#logprobs.add(event.logprobs)
        return []
      case 'choice-end':
        this.#end = event
        return []
      default:
        return this.#writer.push(event)
    }
  }

  /** The candidate with these parts and the parts still to be written. */
  finish(before: readonly JsonObject[]): JsonObject {
    const parts = [...before, ...this.#writer.finish()]
    const candidate = {
      index: this.#index,
      parts,
      writer: this.#writer,
      logprobs: this.#logprobs,
      end: this.#end ?? {},
    }
    return writeCandidateEnd(candidate, this.#losses)
  }
}
