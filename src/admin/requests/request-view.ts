import { errorRow, isErrorCode } from '../../canonical/error-table.ts'
import { type NanoDollars, writeDollars } from '../../canonical/money.ts'
import { writeOwnCause } from '../../catalog/missing-model.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type { StoredAttempt, StoredRequest, StoredSummary } from '../../request-log/request-log-store.ts'
import { viewUsage } from '../view-usage.ts'
import type { RequestDetailView, RequestSummaryView } from './request-contract.ts'
import { viewCause } from './view-cause.ts'

/** The IDs of requests with a stored prompt or response. */
type CapturedRequests = ReadonlySet<string>

export function viewSummary(row: StoredSummary, captured: CapturedRequests): RequestSummaryView {
  return {
    id: row.id,
    request_id: row.requestId,
    started_at: writeTime(row.endedAtMs - row.totalMs),
    ended_at: writeTime(row.endedAtMs),
    total_ms: row.totalMs,
    first_content_ms: row.firstContentMs ?? null,
    key_id: row.keyId ?? null,
    key: row.keyName ?? null,
    user: row.user ?? null,
    group: row.group ?? null,
    format: row.format ?? null,
    model: row.model ?? null,
    channel: row.channel ?? null,
    upstream_model: row.upstreamModel ?? null,
    status: row.status,
    error: row.error ?? null,
    stream: row.isStream,
    input_tokens: row.inputTokens ?? null,
    output_tokens: row.outputTokens ?? null,
    cache_read_tokens: row.cacheReadTokens ?? null,
    cache_write_tokens: row.cacheWriteTokens ?? null,
    reasoning_tokens: row.reasoningTokens ?? null,
    cost_usd: viewDollars(row.cost),
    charged_usd: viewDollars(row.charged),
    captured: captured.has(row.requestId),
  }
}

export function viewRequest(row: StoredRequest, captured: CapturedRequests): RequestDetailView {
  return {
    ...viewSummary(row, captured),
    method: row.method,
    path: row.path,
    address: row.address,
    client: row.client ?? null,
    error_message: messageOf(row.error),
    cause: row.cause ?? null,
    cause_fact: viewCause(row.cause),
    caller_left: row.callerLeft,
    recovered: row.isRecovered,
    receive_ms: row.receiveMs,
    queue_ms: row.queueMs,
    bytes_in: row.bytesIn,
    bytes_out: row.bytesOut,
    usage: row.usage === undefined ? null : viewUsage(row.usage),
    losses: row.losses.map(({ feature, kind, field = null }) => ({ feature, kind, field })),
    candidates: row.candidates.map(({ channel, upstreamModel, credentialId = null, excluded = null }) => {
      return { channel, upstream_model: upstreamModel, credential: credentialId, excluded }
    }),
    attempts: row.attempts.map(viewAttempt),
  }
}

/**
 * A request as one of its owners sees it: without credentials, the plan, and the upstreams' error messages. The model
 * of a refusal is the owner's own.
 */
export function viewOwnRequest(row: StoredRequest, captured: CapturedRequests): RequestDetailView {
  const view = viewRequest(row, captured)
  const attempts = view.attempts.map((attempt) => ({
    ...attempt,
    credential: null,
    cause: null,
    cause_fact: null,
  }))
  const isRefused = row.error === 'model_not_found' && row.attempts.length === 0
  const cause = (isRefused ? writeOwnCause(row.cause ?? '') : undefined) ?? null
  return { ...view, cause, cause_fact: viewCause(cause ?? undefined), candidates: [], attempts }
}

function viewAttempt(attempt: StoredAttempt): RequestDetailView['attempts'][number] {
  return {
    channel: attempt.channel,
    upstream_model: attempt.upstreamModel,
    credential: attempt.credentialId ?? null,
    lane: attempt.lane,
    outcome: attempt.outcome,
    upstream_status: attempt.upstreamStatus ?? null,
    cause: attempt.cause ?? null,
    cause_fact: viewCause(attempt.cause),
    wait_ms: attempt.waitMs,
    usage: attempt.usage === undefined ? null : viewUsage(attempt.usage),
    cost_usd: viewDollars(attempt.cost),
    charged_usd: viewDollars(attempt.charged),
    head_ms: attempt.headMs ?? null,
    first_content_ms: attempt.firstContentMs ?? null,
    total_ms: attempt.totalMs,
  }
}

/** Null without an error, and for a code that only earlier versions had. */
function messageOf(code: string | undefined): string | null {
  return code !== undefined && isErrorCode(code) ? errorRow(code).message : null
}

function viewDollars(amount: NanoDollars | undefined): number | null {
  return amount === undefined ? null : Number(writeDollars(amount))
}
