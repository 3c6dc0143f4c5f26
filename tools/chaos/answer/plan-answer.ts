import { errorWords } from '../script/error-words.ts'
import type { FaultReply } from '../script/fault-schema.ts'
import type { FaultAnswer } from './fault-answer.ts'
import { writeErrorBody } from './write-error-body.ts'
import { type GoodAnswerPlan, wholePart, writeGoodAnswer } from './write-good-answer.ts'

export interface AnswerPlan extends GoodAnswerPlan {
  readonly reply: FaultReply | undefined
  /** Wall time, from which dates in headers are counted. */
  readonly nowMs: number
}

/** The content of the answer that the script asks for. How it is sent, and what breaks in transit, is planned later. */
export function planAnswer(plan: AnswerPlan): FaultAnswer {
  const { reply, nowMs } = plan
  const good = writeGoodAnswer(plan)
  if (reply === undefined) return good
  const changed = applyReply(reply, good, plan)
  const headers = replaceHeaders(changed.headers, [
    ...(reply.content_type === undefined ? [] : [['content-type', reply.content_type] as const]),
    ...retryHeaders(reply.retry_after, nowMs),
    ...listHeaders(reply.headers),
  ])
  return { ...changed, headers, status: reply.status ?? changed.status }
}

function applyReply(reply: FaultReply, good: FaultAnswer, { call }: AnswerPlan): FaultAnswer {
  if (reply.error !== undefined) {
    const { text, contentType } = writeErrorBody({ error: reply.error, shape: reply.shape }, call.format)
    const { status } = errorWords[reply.error]
    return { ...ofText(good, text, contentType), status }
  }
  if (reply.body === undefined) return good
  if (typeof reply.body === 'string') return ofText(good, reply.body, 'text/plain; charset=utf-8')
  return ofText(good, JSON.stringify(reply.body), 'application/json')
}

/** The good answer, with this body instead of its own. */
function ofText(good: FaultAnswer, text: string, contentType: string): FaultAnswer {
  const parts = text === '' ? [] : [wholePart(text)]
  return {
    ...good,
    headers: replaceHeaders(good.headers, [['content-type', contentType]]),
    parts,
    isStream: false,
  }
}

type HeaderList = readonly (readonly [string, string])[]

function replaceHeaders(headers: HeaderList, others: HeaderList): HeaderList {
  const names = new Set(others.map(([name]) => name.toLowerCase()))
  return [...headers.filter(([name]) => !names.has(name)), ...others]
}

function listHeaders(headers: FaultReply['headers'] = {}): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => [name.toLowerCase(), each] as const),
  )
}

function retryHeaders(retry: FaultReply['retry_after'], nowMs: number): HeaderList {
  if (retry === undefined) return []
  if ('seconds' in retry) return [['retry-after', String(retry.seconds)]]
  if ('ms' in retry) return [['retry-after-ms', String(retry.ms)]]
  if ('text' in retry) return [['retry-after', retry.text]]
  return [['retry-after', new Date(nowMs + retry.date_in).toUTCString()]]
}
