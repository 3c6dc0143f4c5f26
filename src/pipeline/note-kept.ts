import type { JsonValue } from '../kit/json.ts'
import type { SseFrame } from '../kit/sse-parser.ts'
import type { Candidate } from '../routing/candidate.ts'
import { fieldValue } from '../wire/scan-body.ts'
import type { ConversationFormat, FrameSight, StreamWatcher } from '../wire/wire-format.ts'
import type { ConversationExchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'

type NoteId = (id: string) => void

/** What to do with the id of an answer that the channel keeps; undefined where the caller wants nothing kept. */
export function keptNoter(
  { received, scanned, route, format }: ConversationExchange,
  { target, credential, publicName }: Candidate,
  { keptAnswers, clock }: Gateway,
): NoteId | undefined {
  if (format.id !== 'responses') return undefined
  const store = scanned.fields.get('store')
  if (store !== undefined && fieldValue(scanned.body, store) === false) return undefined
  return (id) =>
    keptAnswers.note(id, {
      keyId: received.caller.keyId,
      askedName: route.publicName,
      publicName,
      channelName: target.channel.name,
      upstreamModel: target.upstreamModel,
      credentialId: credential?.id,
      keptAtMs: clock.nowMs(),
    })
}

/** The format, telling the ids of answers that are kept as soon as they are seen. */
export function noteKept(format: ConversationFormat, note: NoteId): ConversationFormat {
  return {
    ...format,
    createStreamWatcher: () => new NotingWatcher(format.createStreamWatcher(), note),
    watchReply(body: JsonValue) {
      const seen = format.watchReply(body)
      if (seen.keptId !== undefined) note(seen.keptId)
      return seen
    },
  }
}

class NotingWatcher implements StreamWatcher {
  readonly #watcher: StreamWatcher
  readonly #note: NoteId
  #isNoted = false

  constructor(watcher: StreamWatcher, note: NoteId) {
    this.#watcher = watcher
    this.#note = note
  }

  get finished() {
    return this.#watcher.finished
  }

  get terminated() {
    return this.#watcher.terminated
  }

  get usage() {
    return this.#watcher.usage
  }

  get model() {
    return this.#watcher.model
  }

  see(frame: SseFrame): FrameSight {
    const sight = this.#watcher.see(frame)
    const { keptId } = this.#watcher
    if (!this.#isNoted && keptId !== undefined) {
      this.#isNoted = true
      this.#note(keptId)
    }
    return sight
  }
}
