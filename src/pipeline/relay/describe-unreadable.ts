import { createFailure, type Failure } from '../../canonical/failure.ts'

/** The position of an event in its stream. Both numbers start at 1. */
export interface EventPosition {
  readonly event: number
  readonly byte: number
}

/** Adds a cause for the log to a failure: what is wrong with the event and where. The event's content is left out. */
export function describeUnreadable(
  failure: Failure,
  data: string | undefined,
  position: EventPosition,
): Failure {
  const isPlain =
    failure.code === 'upstream_bad_response' && failure.message === createFailure(failure.code).message
  if (!isPlain || data === undefined) return failure
  const event = `event ${position.event} of the stream, from byte ${position.byte} on,`
  return { ...failure, logCause: `${event} ${faultOf(data)}` }
}

function faultOf(data: string): string {
  try {
    JSON.parse(data)
    return 'is JSON, but not an event of this format'
  } catch (error) {
    const at = /at position (\d+)/.exec(String(error))?.[1]
    const where = at === undefined ? 'it ends too early' : `the fault is at character ${at}`
    return `is not JSON: ${where} of ${data.length}`
  }
}
