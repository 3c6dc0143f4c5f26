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
  if (contentType.includes('ndjson')) return judgeLines(answer)
  if (contentType.includes('amazon.eventstream')) return judgeEvents(answer)
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
  return judgeEnd({ isEnded: terminator.test(text), hasError, isCut: cut !== undefined })
}

/** A stream of Ollama's API: one object a line. */
function judgeLines({ text, cut }: ReceivedAnswer): SpoiltOutcome {
  const lines = text.trimEnd().split('\n')
  if (!lines.every(isObject)) return { outcome: '200 stream, no JSON', isWrong: true }
  return judgeEnd({
    isEnded: lines.some((line) => line.includes('"done":true')),
    hasError: lines.some((line) => line.startsWith('{"error":')),
    isCut: cut !== undefined,
  })
}

/** A stream of Bedrock's API, whose events are binary around texts. Its last one has the usage. */
function judgeEvents({ text, cut }: ReceivedAnswer): SpoiltOutcome {
  return judgeEnd({
    isEnded: /:event-type\W{1,4}metadata/.test(text),
    hasError: text.includes(':exception-type'),
    isCut: cut !== undefined,
  })
}

interface StreamEnd {
  readonly isEnded: boolean
  readonly hasError: boolean
  readonly isCut: boolean
}

function judgeEnd({ isEnded, hasError, isCut }: StreamEnd): SpoiltOutcome {
  if (isEnded && !hasError && !isCut) return { outcome: '200 stream', isWrong: false }
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
