import type { UpstreamHeaders } from '../../upstream/upstream.ts'

/** Whether an answer is a stream of events as nearly every server sends it: by the whole text of its type. */
export function isEventStream(headers: UpstreamHeaders): boolean {
  if (headers['content-encoding'] !== undefined) return false
  const type = headers['content-type']
  return type === 'text/event-stream' || type === 'text/event-stream; charset=utf-8'
}
