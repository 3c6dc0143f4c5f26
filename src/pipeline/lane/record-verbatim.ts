import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { MAX_RESPONSE_BYTES } from '../../objects/stored-responses.ts'
import type { ConversationFormat } from '../../wire/wire-format.ts'
import type { ResponseRecorder } from '../exchange/response-recorder.ts'
import { changeIds, idChangesFor, spliceIds } from '../stored-responses/splice-ids.ts'
import { type ResponseWatch, watchResponses } from '../stored-responses/watch-responses.ts'

/** The format, its answers recorded as they pass and named as their caller knows them. */
export function recordVerbatim(format: ConversationFormat, recorder: ResponseRecorder): ConversationFormat {
  return watchResponses(format, () => createRecordingWatch(recorder))
}

/** Records a whole answer and gives the bytes for its caller. */
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
function createRecordingWatch(recorder: ResponseRecorder): ResponseWatch {
  /** The items that ended, for providers whose last event leaves them out. */
  const items: string[] = []
  let characters = 0
  let isStarted = false
  return {
    form: recorder.form,
    onFrame({ event, data }) {
      if (event !== ITEM_DONE || data === undefined) return
      characters += data.length
      if (characters <= MAX_RESPONSE_BYTES) items.push(data)
    },
    onResponse(response, isEnd) {
      const id = idOf(response)
      if (isEnd) recorder.record(withItems(response, items), id)
      else if (!isStarted && id !== undefined) recorder.recordStart(id, response)
      isStarted = true
    },
  }
}

function withItems(response: JsonObject, ended: readonly string[]): JsonObject {
  const { output } = response
  if (ended.length === 0 || (isJsonArray(output) && output.length > 0)) return response
  const events = ended.map((text) => tryParseJson(text)).filter(isJsonObject)
  return { ...response, output: events.map(({ item }) => item).filter(isJsonObject) }
}
