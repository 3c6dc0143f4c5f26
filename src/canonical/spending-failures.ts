import { createFailure, type Failure } from './failure.ts'

/** A budget that does not allow a request. */
export interface RefusingBudget {
  readonly name: string
  /** `spent`: nothing is left; `too-small`: what is left does not hold this request. */
  readonly reason: 'spent' | 'too-small'
  /** Undefined where it never starts anew. */
  readonly resetsAtMs: number | undefined
}

/** The error for a request that a budget refuses. Clients are asked not to repeat it, however soon the budget starts anew. */
export function createBudgetFailure({ name, reason, resetsAtMs }: RefusingBudget): Failure {
  const resetsAt = resetsAtMs === undefined ? undefined : writeTime(resetsAtMs)
  const budget = JSON.stringify(name)
  const message =
    reason === 'spent'
      ? `The budget ${budget} is spent. ${whenSpent(resetsAt)}`
      : `What is left of the budget ${budget} does not allow this request. ${whenTooSmall(resetsAt)}`
  return createFailure('budget_exceeded', { message })
}

function whenSpent(resetsAt: string | undefined): string {
  if (resetsAt === undefined) return 'Ask the operator of this gateway to raise it.'
  return `It starts anew at ${resetsAt}: wait until then, or ask the operator of this gateway to raise it.`
}

function whenTooSmall(resetsAt: string | undefined): string {
  const wait = resetsAt === undefined ? '' : `wait until it starts anew at ${resetsAt}, `
  return `Ask for less output or send a shorter request, ${wait}or ask the operator of this gateway to raise it.`
}

/** A limit of requests or tokens that is reached. */
export interface ReachedLimit {
  /** Such as `requests per minute of the group "search"`. */
  readonly what: string
  readonly limit: number
  readonly retryAfterMs: number
}

export function createRateLimitFailure({ what, limit, retryAfterMs }: ReachedLimit): Failure {
  return createFailure('rate_limit_exceeded', {
    message: `The limit of ${limit} ${what} is reached. Try again after the time in retry-after.`,
    retryAfterSeconds: retryAfterMs / 1_000,
  })
}

/** `what`: such as `the key "ci"`. */
export function createConcurrencyFailure({
  what,
  limit,
}: {
  readonly what: string
  readonly limit: number
}): Failure {
  return createFailure('concurrency_limit_exceeded', {
    message: `At most ${limit} requests of ${what} may be under way at once. Try again once one of them has ended.`,
  })
}

/** To the second, as RFC 3339 has it. */
function writeTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
