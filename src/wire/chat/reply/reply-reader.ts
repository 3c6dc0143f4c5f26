import { refuseBlocks } from '../../../canonical/answer-size.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { type FieldTable, knownFields, leftoversOf } from '../../fields/field-table.ts'
import { abnormalEnds } from '../../openai/values/abnormal-ends.ts'
import { findUsage, readUsage, statesNumbers } from '../../openai/values/read-usage.ts'
import { readStopReason } from '../../openai/values/stop-reason.ts'
import {
  completionDetailsFields,
  promptDetailsFields,
  usageFields,
  vendorCompletionDetailsFields,
  vendorUsageFields,
} from '../../openai/values/usage-fields.ts'
import { readServedTier } from '../../served-tier.ts'
import { toExtras } from '../values/extras.ts'
import { BlockReader } from './block-reader.ts'
import { EventList } from './event-list.ts'
import {
  choiceFields,
  chunkChoiceFields,
  chunkFields,
  deltaFields,
  messageFields,
  replyFields,
  vendorChoiceFields,
  vendorChunkFields,
  vendorDeltaFields,
} from './reply-fields.ts'

const answerFields = knownFields(replyFields, chunkFields, vendorChunkFields)
const anyChoiceFields = knownFields(choiceFields, chunkChoiceFields, vendorChoiceFields)
const anyMessageFields = knownFields(messageFields, deltaFields, vendorDeltaFields)
const anyUsageFields = knownFields(usageFields, vendorUsageFields)
const promptDetails = knownFields(promptDetailsFields)
const completionDetails = knownFields(completionDetailsFields, vendorCompletionDetailsFields)

/** The limit on how many choices one invalid index can create. No server gives as many answers to one question. */
const MAX_CHOICES = 128

/** The facts of a chunk that reading one of its choices needs. */
interface ChoiceContext {
  readonly position: number
  readonly isWhole: boolean
  /** The usage in the chunk. */
  readonly usage: JsonObject | undefined
}

interface Choice {
  readonly index: number
  readonly blocks: BlockReader
  finish: string | number | undefined
  /** Fields of the choice that only this format has. */
  readonly extras: Map<string, JsonValue>
}

/** Reads one answer of any server of the format: the chunks of a stream, or a whole answer as a single chunk. */
export class ReplyReader {
  id = ''
  readonly #events = new EventList()
  readonly #choices = new Map<number, Choice>()
  #isStarted = false
  #model = ''
  #createdAtSeconds: number | undefined
  #serviceTier: string | undefined
  #emittedServiceTier: string | undefined
  /** Fields of the answer that only this format has, each with its last value. */
  readonly #extras = new Map<string, JsonValue>()
  /** The extras that the answer's start event contained. */
  #emittedExtras: ReadonlyMap<string, JsonValue> = new Map()
  #hasUsage = false
  /** Parts of usage that the canonical form has no field for. */
  #usageExtras: JsonValue | undefined

  get isOver(): boolean {
    return this.#events.isOver
  }

  /** Whether each choice has a finish reason. */
  get isFinished(): boolean {
    const choices = [...this.#choices.values()]
    return choices.length > 0 && choices.every((choice) => choice.finish !== undefined)
  }

  drain(): readonly ReplyEvent[] {
    return this.#events.drain()
  }

  fail(failure: Failure): void {
    this.#events.fail(failure)
  }

  /** Reads one chunk of a stream, or (`isWhole`) a whole answer. */
  read(chunk: JsonObject, isWhole: boolean): void {
    const failure = readErrorInAnswer(chunk) ?? refuseBlocks(countCalls(chunk))
    if (failure !== undefined) {
      this.fail(failure)
      return
    }
    this.#readHead(chunk)
    const { choices } = chunk
    const usage = findUsage(chunk)
    const hasChoices = isJsonArray(choices) && choices.length > 0
    if (hasChoices || usage !== undefined || this.id !== '') this.#start()
    if (hasChoices) {
      for (const [position, choice] of choices.entries()) {
        if (isJsonObject(choice)) this.#readChoice(choice, { position, isWhole, usage })
      }
    }
    this.#readUsage(usage)
  }

  /**
   * Ends a complete answer: open blocks end, and each choice ends with its finish reason. An empty answer is a failure.
   */
  end(): void {
    if (this.isOver) return
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index)
    if (choices.every(({ blocks, finish }) => blocks.isEmpty && (finish ?? '') === '')) {
      this.fail(createFailure('upstream_empty'))
      return
    }
    this.#start()
    for (const choice of choices) this.#endChoice(choice)
    const emitted = this.#emittedExtras
    const changed = [...this.#extras].filter(([name, value]) => !isSame(emitted.get(name), value))
    const tier = this.#serviceTier === this.#emittedServiceTier ? undefined : this.#serviceTier
    this.#events.push(
      omitUndefined({
        type: 'reply-end' as const,
        serviceTier: readServedTier('chat', tier),
        ...toExtras(Object.fromEntries(changed), { usage: this.#usageExtras }),
      }),
    )
    this.#events.isOver = true
  }

  /** Emits the answer's start event once, with the fields known so far. */
  #start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#emittedExtras = new Map(this.#extras)
    this.#emittedServiceTier = this.#serviceTier
    this.#events.push(
      omitUndefined({
        type: 'reply-start' as const,
        id: this.id,
        model: this.#model,
        createdAtSeconds: this.#createdAtSeconds,
        serviceTier: readServedTier('chat', this.#serviceTier),
        ...toExtras(Object.fromEntries(this.#extras)),
      }),
    )
  }

  /** Reads the fields that every chunk repeats. In Azure's first chunk all of them are empty. */
  #readHead(chunk: JsonObject): void {
    const { id, model, created, service_tier: serviceTier } = chunk
    if (this.id === '' && typeof id === 'string') this.id = id
    if (this.#model === '' && typeof model === 'string') this.#model = model
    if (typeof created === 'number' && created > 0) this.#createdAtSeconds ??= created
    if (typeof serviceTier === 'string') this.#serviceTier = serviceTier
    readLeftovers(this.#extras, chunk, answerFields)
  }

  #readUsage(value: JsonObject | undefined): void {
    const usage = readUsage(value)
    if (value === undefined || usage === undefined) return
    if (this.#hasUsage && !statesNumbers(value)) return
    this.#hasUsage = true
    this.#events.push({ type: 'usage', usage })
    const prompt = value['prompt_tokens_details']
    const completion = value['completion_tokens_details']
    this.#usageExtras = toExtras(leftoversOf(value, anyUsageFields), {
      prompt_tokens_details: isJsonObject(prompt) ? leftoversOf(prompt, promptDetails) : undefined,
      completion_tokens_details: isJsonObject(completion)
        ? leftoversOf(completion, completionDetails)
        : undefined,
    }).extras?.fields
  }

  #readChoice(item: JsonObject, { position, isWhole, usage }: ChoiceContext): void {
    const index = typeof item['index'] === 'number' ? item['index'] : isWhole ? position : 0
    if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) {
      this.fail(createFailure('upstream_bad_response'))
      return
    }
    const choice = this.#choices.get(index) ?? this.#addChoice(index)
    const message = messageOf(item, choice, isWhole)
    if (isJsonObject(message)) {
      choice.blocks.read(message, isWhole)
      readLeftovers(choice.blocks.messageExtras, message, anyMessageFields)
    }
    this.#readLogprobs(index, item['logprobs'])
    readLeftovers(choice.extras, item, anyChoiceFields)
    this.#readFinish(choice, { value: item['finish_reason'], isWhole, usage })
  }

  #addChoice(index: number): Choice {
    const blocks = new BlockReader({ choice: index, reply: this, events: this.#events })
    const choice: Choice = { index, blocks, finish: undefined, extras: new Map() }
    this.#choices.set(index, choice)
    return choice
  }

  #readLogprobs(choice: number, value: JsonValue | undefined): void {
    if (!isJsonObject(value)) return
    const { content, refusal } = value
    const logprobs: LogProbs = omitUndefined({
      content: isJsonArray(content) ? content : undefined,
      refusal: isJsonArray(refusal) ? refusal : undefined,
    })
    if (Object.keys(logprobs).length === 0) return
    this.#events.push({ type: 'logprobs-delta', choice, logprobs })
  }

  /**
   * The first finish reason wins, since some servers repeat it. Some servers put an empty reason into every chunk, so
   * an empty reason in a stream is ignored. In a whole answer it is an unknown reason.
   */
  #readFinish(
    choice: Choice,
    { value, isWhole, usage }: Omit<ChoiceContext, 'position'> & { readonly value: JsonValue | undefined },
  ): void {
    const code = abnormalEnds.get(value)
    if (code !== undefined) {
      // A broken answer is billed as any other.
      this.#readUsage(usage)
      this.fail(createFailure(code))
      return
    }
    const isNamed = (typeof value === 'string' && (value !== '' || isWhole)) || typeof value === 'number'
    if (isNamed) choice.finish ??= value
  }

  #endChoice({ index, blocks, finish, extras }: Choice): void {
    blocks.end()
    const { messageExtras } = blocks
    this.#events.push(
      omitUndefined({
        type: 'choice-end' as const,
        choice: index,
        stopReason: finish === undefined ? undefined : readStopReason(finish, blocks.hasCalls),
        ...toExtras(Object.fromEntries(extras), {
          message: messageExtras.size === 0 ? undefined : Object.fromEntries(messageExtras),
        }),
      }),
    )
  }
}

/** Counts the entries of tool calls. Each entry is a call, or a piece of one. */
function countCalls({ choices }: JsonObject): number {
  let count = 0
  for (const choice of isJsonArray(choices) ? choices : []) {
    if (!isJsonObject(choice)) continue
    for (const message of [choice['message'], choice['delta']]) {
      const calls = isJsonObject(message) ? message['tool_calls'] : undefined
      if (isJsonArray(calls)) count += calls.length
    }
  }
  return count
}

/**
 * Returns the message or its delta. A stream's chunk may also contain the whole message, which adds nothing once its
 * pieces were read.
 */
function messageOf(item: JsonObject, { blocks }: Choice, isWhole: boolean): JsonValue | undefined {
  const { delta, message } = item
  if (isWhole) return message ?? delta
  return delta ?? (blocks.isEmpty ? message : undefined)
}

function readLeftovers(extras: Map<string, JsonValue>, source: JsonObject, known: FieldTable): void {
  for (const name of Object.keys(source)) {
    const value = source[name]
    if (value === undefined || (value === null && extras.has(name))) continue
    if (Object.hasOwn(known, name) && (known[name] !== 'extras' || value === null)) continue
    extras.set(name, value)
  }
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
