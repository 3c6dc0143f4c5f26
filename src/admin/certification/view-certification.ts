import { NANO_DOLLARS_PER_DOLLAR, type NanoDollars } from '../../canonical/money.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { type CertificationView, type CheckResultView, checkNames } from './certification-contract.ts'
import { RENEWAL_MS } from './certification-runner.ts'
import type { Certification, CheckResult } from './certification-store.ts'
import { notTried } from './checks/check.ts'
import { describeFinding } from './describe-finding.ts'

/** A process that has not renewed its claim for this time has ended or lost the store. */
const ABANDONED_MS = 4 * RENEWAL_MS

/** Whether a process has the certification queued or running. */
export function isCertifying(certification: Certification, nowMs: number): boolean {
  return isOpen(certification) && nowMs - certification.updatedAtMs <= ABANDONED_MS
}

function isOpen({ state }: Certification): boolean {
  return state === 'queued' || state === 'running'
}

export function viewCertification(certification: Certification, nowMs: number): CertificationView {
  const { id, channel, model, author, checks } = certification
  const isAbandoned = isOpen(certification) && !isCertifying(certification, nowMs)
  const results = isAbandoned ? withInterrupted(certification) : certification.results
  return {
    id,
    channel,
    model,
    author,
    author_fact: viewAuthor(author),
    upstream_model: certification.upstreamModel,
    state: isAbandoned ? 'interrupted' : certification.state,
    started_at: writeTime(certification.startedAtMs),
    ended_at: certification.endedAtMs === undefined ? null : writeTime(certification.endedAtMs),
    checks: [...checks],
    results: results.map(viewResult).toSorted((left, right) => rankOf(left) - rankOf(right)),
    estimated_cost_usd: viewDollars(certification.estimatedCost),
    cost_usd: viewDollars(certification.cost),
  }
}

function rankOf({ check }: CheckResultView): number {
  return checkNames.indexOf(check)
}

function withInterrupted({ checks, results }: Certification): readonly CheckResult[] {
  const known = new Set(results.map(({ check }) => check))
  const missing = checks.filter((check) => !known.has(check))
  return [
    ...results,
    ...missing.map((check) => ({ ...notTried('interrupted'), check, evidence: [], durationMs: 0 })),
  ]
}

export function viewResult({
  check,
  outcome,
  finding,
  details,
  evidence,
  durationMs,
}: CheckResult): CheckResultView {
  return {
    check,
    outcome,
    finding,
    details: { ...details },
    message: describeFinding(finding, details),
    evidence: evidence.map(({ requestId, sent, received, sentFact, receivedFact }) => ({
      request_id: requestId ?? null,
      sent,
      received,
      sent_fact: sentFact ?? null,
      received_fact: receivedFact ?? null,
    })),
    duration_ms: durationMs,
  }
}

export function viewDollars(amount: NanoDollars | undefined): number | null {
  return amount === undefined ? null : amount / NANO_DOLLARS_PER_DOLLAR
}
