import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { StoredAnswerForm } from '../../wire/answer-form.ts'
import type { FrameInspection, StreamWatcher } from '../../wire/watched-reply.ts'
import type { ConversationFormat } from '../../wire/wire-format.ts'
import { changeIds, type IdChange, idChangesFor, spliceIds } from './splice-ids.ts'

export interface ResponseWatch {
  /** The IDs by which the caller knows the response; undefined where these are the provider's IDs. */
  readonly form: StoredAnswerForm | undefined
  /** Called for each response in the stream. */
  onResponse?(response: JsonObject, isEnd: boolean): void
  /** Called for each frame, before `onResponse`. */
  onFrame?(frame: SseFrame): void
}

/** Wraps a format so that the responses in its streams are watched, and carry the IDs that their caller knows. */
export function watchResponses(
  format: ConversationFormat,
  createWatch: () => ResponseWatch,
): ConversationFormat {
  return {
    ...format,
    createStreamWatcher: () => new ResponseWatcher(format.createStreamWatcher(), createWatch()),
  }
}

class ResponseWatcher implements StreamWatcher {
  readonly #watcher: StreamWatcher
  readonly #watch: ResponseWatch
  #seen: JsonObject | undefined

  constructor(watcher: StreamWatcher, watch: ResponseWatch) {
    this.#watcher = watcher
    this.#watch = watch
  }

  get hasStopReason() {
    return this.#watcher.hasStopReason
  }

  get isTerminated() {
    return this.#watcher.isTerminated
  }

  get usage() {
    return this.#watcher.usage
  }

  get servedTier() {
    return this.#watcher.servedTier
  }

  get shownCharacters() {
    return this.#watcher.shownCharacters
  }

  inspect(frame: SseFrame): FrameInspection {
    const inspection = this.#watcher.inspect(frame)
    const watch = this.#watch
    watch.onFrame?.(frame)
    const { response } = this.#watcher
    if (response === undefined || response === this.#seen) return inspection
    this.#seen = response
    watch.onResponse?.(response, this.#watcher.hasStopReason)
    const changes = watch.form === undefined ? [] : idChangesFor(response, watch.form)
    if (changes.length === 0) return inspection
    return { ...inspection, bytes: spliceIds(frame.bytes, changes, () => rewriteFrame(frame, changes)) }
  }
}

function rewriteFrame({ event, data }: SseFrame, changes: readonly IdChange[]): Buffer {
  const value = tryParseJson(data ?? '')
  if (!isJsonObject(value)) return Buffer.from(`data: ${data}\n\n`, 'utf8')
  const { response } = value
  const written = isJsonObject(response) ? { ...value, response: changeIds(response, changes) } : value
  const name = event === undefined ? '' : `event: ${event}\n`
  return Buffer.from(`${name}data: ${JSON.stringify(written)}\n\n`, 'utf8')
}
