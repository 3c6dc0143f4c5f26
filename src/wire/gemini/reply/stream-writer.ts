import { joinExtras } from '../../../canonical/format.ts'
import { createLossList, type LossList } from '../../../canonical/loss.ts'
import { isOfChoice, type ReplyEvent } from '../../../canonical/reply-event.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { addMembers } from '../../../kit/collections/add-members.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { writeDataFrame } from '../../../kit/sse/write-data-frame.ts'
import { addCost } from '../../fields/add-cost.ts'
import type { StreamWriter } from '../../reply-stream.ts'
import type { UsagePath } from '../../wire-format.ts'
import { writeErrorEvent } from '../errors/write-error.ts'
import { ChoiceWriter } from './choice-writer.ts'
import { writeEnd, writeHead } from './write-response.ts'

/** The format has no terminator: no frame follows the chunk with the finish reason. */
export const terminator = ''

/** The path of the usage in the event that ends a stream. */
export const eventUsagePath: UsagePath = ['usageMetadata']

/** The official SDK leaves an answer out of its history if a chunk has no part. */
const emptyPart: JsonObject = { text: '' }

/**
 * Writes a streamed answer for a caller: first the parts as they arrive, then the ends of all candidates with the
 * usage.
 */
export function createStreamWriter(): StreamWriter {
  return new GeminiStreamWriter()
}

type ReplyStart = Extract<ReplyEvent, { readonly type: 'reply-start' }>

class GeminiStreamWriter implements StreamWriter {
  readonly #losses: LossList = createLossList()
  readonly #choices: ChoiceWriter[] = []
  #start: ReplyStart = { type: 'reply-start', id: '', model: '' }
  /** The members of the start that every chunk repeats. */
  #head: JsonObject = {}
  #usage: Usage | undefined
  #isOver = false

  get losses() {
    return this.#losses.all
  }

  push(event: ReplyEvent): string {
    if (this.#isOver) return ''
    if (isOfChoice(event)) return this.#writeParts(event.choice, this.#choiceAt(event.choice).push(event))
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

  #choiceAt(index: number): ChoiceWriter {
    for (let before = this.#choices.length; before <= index; before += 1) {
      this.#choices.push(new ChoiceWriter(before, this.#losses))
    }
    return this.#choices[index] ?? new ChoiceWriter(index, this.#losses)
  }

  #writeParts(index: number, parts: readonly JsonObject[]): string {
    if (parts.length === 0) return ''
    const chunk: Record<string, JsonValue> = { candidates: [{ content: { parts, role: 'model' }, index }] }
    addMembers(chunk, this.#head)
    return writeDataFrame(chunk)
  }

  #end({ serviceTier, extras, cost }: Extract<ReplyEvent, { readonly type: 'reply-end' }>): string {
    this.#isOver = true
    const candidates = this.#choices.map((choice) => fillContent(choice.finish([])))
    const end = {
      candidates,
      usage: this.#usage,
      serviceTier: serviceTier ?? this.#start.serviceTier,
      extras: joinExtras(this.#start.extras, extras),
    }
    return writeDataFrame(addCost(writeEnd(this.#start, end, this.#losses), eventUsagePath, cost))
  }
}

function fillContent(candidate: JsonObject): JsonObject {
  const { content } = candidate
  const isFilled = typeof content === 'object' && content !== null && 'parts' in content
  return isFilled ? candidate : { ...candidate, content: { parts: [emptyPart], role: 'model' } }
}
