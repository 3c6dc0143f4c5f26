import type { GoodRequest } from './good-requests.ts'

export interface SpoiltOutcome {
  readonly outcome: string
  readonly isWrong: boolean
}

export interface ReceivedAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
  readonly cut: string | undefined
}

/** Statuses that may follow from what an upstream did; 500 would be a fault of our own. */
const fair = new Set([400, 413, 422, 429, 502, 503, 504, 529])

/** The answer that the caller got, and whether it may be so. */
export function judgeSpoilt(request: GoodRequest, answer: ReceivedAnswer): SpoiltOutcome {
  const { status, contentType, text, cut } = answer
  if (status === 0) return { outcome: `no answer (${cut})`, isWrong: true }
  if (cut?.includes('TIMEOUT')) return { outcome: `${status} hang`, isWrong: true }
  if (contentType.includes('event-stream')) return judgeStream(request, answer)
  if (cut !== undefined) return { outcome: `${status} cut`, isWrong: true }
  if (!isObject(text)) return { outcome: `${status} no JSON`, isWrong: true }
  if (status === 200) return { outcome: '200 whole', isWrong: text.startsWith('{"error":{"message":') }
  return { outcome: String(status), isWrong: !fair.has(status) }
}

function judgeStream({ path }: GoodRequest, { text, cut }: ReceivedAnswer): SpoiltOutcome {
  const isMessages = path.startsWith('/v1/messages')
  // As a client reads it: at the start of a line.
  const terminator = isMessages ? /^data: ?\{"type":"message_stop"/m : /^data: ?\[DONE\]/m
  const hasError = /^event: error$|^data: \{"error":\{"message":/m.test(text)
  const isEnded = terminator.test(text)
  if (isEnded && !hasError && cut === undefined) return { outcome: '200 stream', isWrong: false }
  const isReportedOf = hasError && !isEnded
  return {
    outcome: isReportedOf ? '200 stream, error told' : '200 stream, badly ended',
    isWrong: !isReportedOf,
  }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
