import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import { readServedTier } from '../../served-tier.ts'
import type { FrameInspection, StreamWatcher } from '../../watched-reply.ts'
import { readEventFailure } from '../errors/read-error.ts'
import { readUsage } from '../values/read-usage.ts'

const content: FrameInspection = { hasContent: true, isUsageOnly: false }
const nothing: FrameInspection = { hasContent: false, isUsageOnly: false }

/** Watches a stream that is forwarded byte for byte. It parses each frame once and reads only a few fields. */
export function createStreamWatcher(): StreamWatcher {
  return new ResponsesStreamWatcher()
}

class ResponsesStreamWatcher implements StreamWatcher {
  hasStopReason = false
  shownCharacters = 0
  /** The response in the last event that carried one. */
  response: JsonObject | undefined

  /** The event with the stop reason is the last one. */
  get isTerminated(): boolean {
    return this.hasStopReason
  }

  get usage(): Usage | undefined {
    return this.response && readUsage(this.response)
  }

  get servedTier(): ServedTier | undefined {
    return readServedTier('responses', this.response?.['service_tier'])
  }

  inspect(frame: SseFrame): FrameInspection {
    const { data } = frame
    const failure = data === undefined || frame.event === 'error' ? readErrorFrame(frame) : undefined
    if (failure !== undefined) return failed(failure)
    const text = data?.trim() ?? ''
    if (this.hasStopReason || text === '[DONE]') return nothing
    // Clients that read only the event's name would treat the answer as complete.
    if (text === '') return isEnd(frame.event) ? failed(createFailure('upstream_bad_response')) : nothing
    const event = tryParsePlainJson(text)
    return isJsonObject(event) ? inspectEvent(this, event) : failed(createFailure('upstream_bad_response'))
  }
}

function isEnd(name: string | undefined): boolean {
  return name === 'response.completed' || name === 'response.incomplete'
}

function inspectEvent(watcher: ResponsesStreamWatcher, event: JsonObject): FrameInspection {
  const { type, response } = event
  // A failed response may state its usage, too.
  if (isJsonObject(response)) watcher.response = response
  const failure = readEventFailure(event)
  if (failure !== undefined) return failed(failure)
  switch (type) {
    case 'response.completed':
    case 'response.incomplete':
      watcher.hasStopReason = true
      return content
    case 'response.output_item.added':
      return isSilent(event['item']) ? nothing : content
    case 'response.output_item.done':
    case 'response.output_text.annotation.added':
      return content
    default: {
      const { delta } = event
      if (typeof delta !== 'string' || delta === '') return nothing
      watcher.shownCharacters += delta.length
      return content
    }
  }
}

/** Messages and reasoning start without content. Other items have content in their start event. */
function isSilent(item: JsonValue | undefined): boolean {
  return isJsonObject(item) && (item['type'] === 'message' || item['type'] === 'reasoning')
}

function failed(failure: Failure): FrameInspection {
  return { hasContent: false, isUsageOnly: false, failure }
}
