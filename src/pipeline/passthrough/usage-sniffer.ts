import type { ServedTier } from '../../canonical/served-tier.ts'
import { countsSomething, type Usage } from '../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { createSseParser, type SseParser } from '../../kit/sse/sse-parser.ts'
import { refuseJson } from '../../wire/answer-bounds.ts'
import { readUsage as readCohereUsage } from '../../wire/cohere/values/read-usage.ts'
import { readUsage as readConverseUsage } from '../../wire/converse/values/read-usage.ts'
import { readTier } from '../../wire/gemini/values/read-tier.ts'
import { readUsage as readGeminiUsage } from '../../wire/gemini/values/read-usage.ts'
import { SearchCounter } from '../../wire/gemini/values/search-counter.ts'
import { readImageUsage } from '../../wire/images/read-usage.ts'
import { hasOutput, joinUsage, readUsageSoFar } from '../../wire/messages/values/read-usage.ts'
import { findUsage, readUsage as readChatUsage } from '../../wire/openai/values/read-usage.ts'
import { readUsage as readResponseUsage } from '../../wire/responses/values/read-usage.ts'
import { readServedTier } from '../../wire/served-tier.ts'

/** Finds the usage in an answer, in any of the formats that are known here. */
export interface UsageSniffer {
  /** Reads bytes that are passed on to the caller. Never throws. */
  push(chunk: Buffer): void
  end(): StatedUsage
}

export interface StatedUsage {
  /** Undefined where the answer states no usage, or is longer than the limit. */
  readonly usage: Usage | undefined
  readonly servedTier: ServedTier | undefined
}

/** The size up to which a whole answer is searched for usage. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024
/** The size of an event above which a stream is no longer searched. */
const MAX_EVENT_BYTES = 1024 * 1024

export function createUsageSniffer(contentType: string): UsageSniffer {
  return /^text\/event-stream\b/i.test(contentType) ? new EventSniffer() : new WholeSniffer()
}

class WholeSniffer implements UsageSniffer {
  #chunks: Buffer[] = []
  #bytes = 0

  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= MAX_WHOLE_BYTES) this.#chunks.push(chunk)
    else this.#chunks = []
  }

  end(): StatedUsage {
    const reading = new UsageReading()
    if (this.#bytes <= MAX_WHOLE_BYTES) reading.add(Buffer.concat(this.#chunks).toString('utf8'))
    return reading.stated
  }
}

class EventSniffer implements UsageSniffer {
  #parser: SseParser | undefined = createSseParser()
  readonly #reading = new UsageReading()

  push(chunk: Buffer): void {
    if (this.#parser === undefined) return
    for (const { data } of this.#parser.push(chunk)) this.#look(data)
    if (this.#parser.pendingBytes > MAX_EVENT_BYTES) this.#parser = undefined
  }

  end(): StatedUsage {
    this.#look(this.#parser?.end()?.data)
    return this.#reading.stated
  }

  #look(data: string | undefined): void {
    if (data !== undefined && /usage|groundingMetadata/i.test(data)) this.#reading.add(data)
  }
}

/**
 * The usage so far. A later statement applies to the whole answer. A statement before the end of the answer is a lower
 * bound, and an estimate if the end never comes.
 */
class UsageReading {
  #usage: Usage | undefined
  #servedTier: ServedTier | undefined
  #message: JsonObject = {}
  #statesOutput = false
  readonly #searches = new SearchCounter()

  get stated(): StatedUsage {
    return { usage: this.#usage, servedTier: this.#servedTier }
  }

  /** Reads an event or a whole answer. Gemini sends a stream as one array, unless events are asked for. */
  add(text: string): void {
    if (refuseJson(text) !== undefined) return
    const value = tryParseJson(text)
    for (const part of isJsonArray(value) ? value : [value]) {
      const usage = isJsonObject(part) ? this.#read(part) : undefined
      // Servers that do not count send zeros, which would make the call free.
      if (countsSomething(usage)) this.#usage = usage
    }
  }

  #read(value: JsonObject): Usage | undefined {
    const { type, object, response, message, usageMetadata, candidates } = value
    if (usageMetadata !== undefined || candidates !== undefined) return this.#readGemini(value)
    if (isJsonObject(response)) return this.#readResponse(response)
    if (object === 'response') return this.#readResponse(value)
    if (type === 'message_start') return this.#readMessage(isJsonObject(message) ? message : {})
    if (type === 'message_delta' || type === 'message') {
      this.#statesOutput ||= hasOutput(value['usage'])
      return this.#readMessage(value)
    }
    this.#servedTier = readServedTier('chat', value['service_tier']) ?? this.#servedTier
    const isOfChat = typeof findUsage(value)?.['prompt_tokens'] === 'number'
    const usage = readByNames(value)
    return boundBefore(isOpen(value['choices'], 'finish_reason'), isOfChat ? asStated(usage) : usage)
  }

  #readGemini({ candidates, usageMetadata }: JsonObject): Usage | undefined {
    for (const candidate of objectsIn(candidates)) this.#searches.add(candidate)
    this.#servedTier = readTier(usageMetadata) ?? this.#servedTier
    const usage = readGeminiUsage(usageMetadata, this.#searches.toolCalls)
    const namesInput = isJsonObject(usageMetadata) && typeof usageMetadata['promptTokenCount'] === 'number'
    return boundBefore(isOpen(candidates, 'finishReason'), namesInput ? asStated(usage) : usage)
  }

  #readResponse(response: JsonObject): Usage | undefined {
    this.#servedTier = readServedTier('responses', response['service_tier']) ?? this.#servedTier
    return readResponseUsage(response)
  }

  #readMessage({ usage }: JsonObject): Usage | undefined {
    this.#message = joinUsage(this.#message, usage)
    this.#servedTier = readServedTier('messages', this.#message['service_tier']) ?? this.#servedTier
    return Object.keys(this.#message).length === 0
      ? undefined
      : readUsageSoFar(this.#message, this.#statesOutput)
  }
}

/**
 * Reads the usage of an answer without a type by the names of its counts. Undefined where no name is known, since a
 * usage of zeros would make the call free.
 */
function readByNames(value: JsonObject): Usage | undefined {
  const usage = findUsage(value)
  if (usage === undefined) return undefined
  if (hasCount(usage, ['input_tokens', 'output_tokens']))
    return isOfImages(usage) ? readImageUsage(usage) : readResponseUsage({ ...value, usage })
  if (hasCount(usage, ['inputTokens', 'outputTokens'])) return readConverseUsage(usage)
  if (isJsonObject(usage['tokens']) || isJsonObject(usage['billed_units'])) return readCohereUsage(usage)
  return hasCount(usage, ['prompt_tokens', 'completion_tokens', 'total_tokens'])
    ? readChatUsage(usage)
    : undefined
}

function hasCount(usage: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => typeof usage[name] === 'number')
}

function isOfImages({ input_tokens_details: input, output_tokens_details: output }: JsonObject): boolean {
  return [input, output].some((details) => isJsonObject(details) && details['image_tokens'] !== undefined)
}

/** Whether a list of answers has answers and all of them go on. `end` is the name of the field that ends one. */
function isOpen(list: JsonValue | undefined, end: string): boolean {
  const answers = objectsIn(list)
  return answers.length > 0 && answers.every((answer) => (answer[end] ?? null) === null)
}

/**
 * The usage as the provider states it. Some providers count thoughts in the total alone, or state no total: a call
 * costs what they state, and not all that was held for it.
 */
function asStated(usage: Usage | undefined): Usage | undefined {
  return usage && { ...usage, isEstimated: false }
}

/** The usage as a lower bound, if it was stated before the end. */
function boundBefore(isBefore: boolean, usage: Usage | undefined): Usage | undefined {
  return usage === undefined || !isBefore ? usage : { ...usage, isEstimated: true }
}
