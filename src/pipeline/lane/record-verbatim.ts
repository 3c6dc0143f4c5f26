import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import { MAX_RESPONSE_BYTES } from '../../stored-answers/stored-responses.ts'
import type { StoredAnswerForm } from '../../wire/answer-form.ts'
import type { ConversationFormat } from '../../wire/wire-format.ts'
import type { ResponseRecorder } from '../exchange/response-recorder.ts'
import { changeIds, idChangesFor, spliceIds } from '../stored-responses/splice-ids.ts'
import { type ResponseWatch, watchResponses } from '../stored-responses/watch-responses.ts'

/** Wraps a format so that its answers are recorded as they pass, and carry the IDs that their caller knows. */
export function recordVerbatim(format: ConversationFormat, recorder: ResponseRecorder): ConversationFormat {
  return watchResponses(format, () => new RecordingWatch(recorder))
}

/** Records a whole answer and returns the bytes for its caller. */
export function recordWhole(body: Buffer, value: JsonValue, recorder: ResponseRecorder): Buffer {
  if (!isJsonObject(value)) return body
  recorder.record(value, idOf(value))
  const { form } = recorder
  const changes = form === undefined ? [] : idChangesFor(value, form)
  return spliceIds(body, changes, () => Buffer.from(JSON.stringify(changeIds(value, changes)), 'utf8'))
}

function idOf({ id }: JsonObject): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined
}

const ITEM_DONE = 'response.output_item.done'

/** Records one stream. */
class RecordingWatch implements ResponseWatch {
  readonly #recorder: ResponseRecorder
  /** The items that ended, for providers whose last event does not contain them. */
  readonly #items: string[] = []
  #itemCharacters = 0
  #hasStarted = false

  constructor(recorder: ResponseRecorder) {
    this.#recorder = recorder
  }

  get form(): StoredAnswerForm | undefined {
    return this.#recorder.form
  }

  onFrame({ event, data }: SseFrame): void {
    if (event !== ITEM_DONE || data === undefined) return
    this.#itemCharacters += data.length
    if (this.#itemCharacters <= MAX_RESPONSE_BYTES) this.#items.push(data)
  }

  onResponse(response: JsonObject, isEnd: boolean): void {
    const id = idOf(response)
    if (isEnd) this.#recorder.record(withItems(response, this.#items), id)
    else if (!this.#hasStarted && id !== undefined) this.#recorder.recordStart(id, response)
    this.#hasStarted = true
  }
}

function withItems(response: JsonObject, ended: readonly string[]): JsonObject {
  const { output } = response
  if (ended.length === 0 || (isJsonArray(output) && output.length > 0)) return response
  const events = ended.map((text) => tryParseJson(text)).filter(isJsonObject)
  return { ...response, output: events.map(({ item }) => item).filter(isJsonObject) }
}
