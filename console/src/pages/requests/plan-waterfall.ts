import type { RequestDetailView } from '../../../../src/admin/requests/request-contract.ts'

type Attempt = RequestDetailView['attempts'][number]

/** A time span of the request. */
export interface Stretch {
  readonly type: 'receive' | 'queue' | 'wait' | 'connect' | 'think' | 'answer' | 'failed'
  readonly startMs: number
  readonly endMs: number
}

export interface WaterfallLine {
  /** The number of the attempt, from 1. 0 for the time before the first attempt. */
  readonly number: number
  /** The attempt that the line shows. Undefined for the time before the first attempt. */
  readonly attempt: Attempt | undefined
  readonly stretches: readonly Stretch[]
}

/** Lays out the phases of a request in sequence: it is read, waits in the queue, and is sent, perhaps several times. */
export function planWaterfall({
  receive_ms: receiveMs,
  queue_ms: queueMs,
  attempts,
}: Pick<RequestDetailView, 'receive_ms' | 'queue_ms' | 'attempts'>): readonly WaterfallLine[] {
  const lines: WaterfallLine[] = [
    {
      number: 0,
      attempt: undefined,
      stretches: [
        { type: 'receive', startMs: 0, endMs: receiveMs },
        { type: 'queue', startMs: receiveMs, endMs: receiveMs + queueMs },
      ],
    },
  ]
  let startMs = receiveMs + queueMs
  for (const [index, attempt] of attempts.entries()) {
    lines.push({ number: index + 1, attempt, stretches: stretchesOf(attempt, startMs) })
    startMs += attempt.wait_ms + attempt.total_ms
  }
  return lines
}

function stretchesOf(attempt: Attempt, startMs: number): readonly Stretch[] {
  const { wait_ms: waitMs, head_ms: headMs, first_content_ms: firstMs, total_ms: totalMs, outcome } = attempt
  const sentMs = startMs + waitMs
  const endMs = sentMs + totalMs
  const wait: Stretch = { type: 'wait', startMs, endMs: sentMs }
  if (outcome !== 'answered') return [wait, { type: 'failed', startMs: sentMs, endMs }]
  const headAtMs = sentMs + Math.min(headMs ?? totalMs, totalMs)
  const firstAtMs = sentMs + Math.min(firstMs ?? headMs ?? totalMs, totalMs)
  return [
    wait,
    { type: 'connect', startMs: sentMs, endMs: headAtMs },
    { type: 'think', startMs: headAtMs, endMs: firstAtMs },
    { type: 'answer', startMs: firstAtMs, endMs },
  ]
}
