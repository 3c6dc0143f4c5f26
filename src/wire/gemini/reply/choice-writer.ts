import type { LossList } from '../../../canonical/loss.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import type { ChoiceEvent, ReplyEvent } from '../../../canonical/reply-event.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { CandidateWriter } from './candidate-writer.ts'
import { writeCandidateEnd } from './write-response.ts'

/** Writes one choice of an answer: its parts as they come, and the final candidate. */
export class ChoiceWriter {
  readonly #index: number
  readonly #losses: LossList
  readonly #writer: CandidateWriter
  #logprobs: { content?: JsonValue[]; refusal?: JsonValue[] } | undefined
  #end: Extract<ReplyEvent, { readonly type: 'choice-end' }> | undefined

  constructor(index: number, losses: LossList) {
    this.#index = index
    this.#losses = losses
    this.#writer = new CandidateWriter(losses)
  }

  push(event: ChoiceEvent): readonly JsonObject[] {
    switch (event.type) {
      case 'logprobs-delta':
        this.#addLogprobs(event.logprobs)
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

  #addLogprobs(more: LogProbs): void {
    this.#logprobs ??= {}
    for (const list of ['content', 'refusal'] as const) {
      const entries = more[list]
      if (entries === undefined) continue
      this.#logprobs[list] ??= []
      for (const entry of entries) this.#logprobs[list].push(entry)
    }
  }
}
