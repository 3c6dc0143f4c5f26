// This file describes the permissions and the remaining limits of a key in the formats that clients expect.

import type { Caller } from '../access/key.ts'
import { type BudgetWindow, writeWindow } from '../access/limits/budget-terms.ts'
import { usdOf } from '../access/limits/usd-schema.ts'
import { type ModelGrant, type Permission, writeGrant } from '../access/permission.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { CaptureMode } from '../capture/capture-schema.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { unixSeconds } from '../kit/time/unix-seconds.ts'
import { writeTime, writeTimeOrNull } from '../kit/time/write-time.ts'
import { writeScope } from '../metering/budget.ts'
import {
  type BudgetAccount,
  type CallerAccount,
  type CreditAccount,
  lowestRemainingLimit,
  type RateAccount,
} from '../metering/caller-account.ts'

/**
 * Describes a key in OpenRouter's format (https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key, seen
 * 2026-11-23), by the limit with the lowest remainder. Headgate's own fields add everything else that a caller may
 * know.
 */
export function describeKey(caller: Caller, account: CallerAccount, capture: CaptureMode): JsonObject {
  const limit = lowestRemainingLimit(account)
  return {
    data: {
      label: caller.keyName,
      limit: limit === undefined ? null : usdOf(limit.limit),
      limit_remaining: limit === undefined ? null : usdOf(limit.remaining),
      limit_reset: limit === undefined ? null : writeReset(limit.budget.window),
      usage: limit === undefined ? null : usdOf(limit.used),
      is_free_tier: false,
      is_management_key: false,
      is_provisioning_key: false,
      expires_at: writeTimeOrNull(caller.expiresAtMs),
      user: caller.user ?? null,
      group: caller.group ?? null,
      ...describeModels(caller.permission),
      budgets: account.budgets.map(describeBudget),
      credits: account.credits.map(describeCredit),
      rate_limits: account.rates.flatMap(describeRate),
      tags: { ...caller.tags },
      caller_tags: caller.callerTags,
      capture,
    },
  }
}

/** The models that the key grants and, if the key has a group, the models to which the group restricts its keys. */
function describeModels(permission: Permission): JsonObject {
  const { key, group }: { key: ModelGrant; group: ModelGrant | undefined } =
    permission.type === 'both' ? permission : { key: permission, group: undefined }
  return {
    models: [...writeGrant(key)],
    ...(group !== undefined && { group_models: [...writeGrant(group)] }),
  }
}

function describeBudget({ budget, status }: BudgetAccount): JsonObject {
  const { window, mode } = budget
  return {
    name: budget.name,
    scope: writeScope(budget.scope),
    window: writeWindow(window),
    time_zone: window.type === 'calendar' ? window.timeZone : null,
    mode,
    limit_usd: status.limit === undefined ? 'unlimited' : usdOf(status.limit),
    spent_usd: usdOf(status.spent),
    held_usd: usdOf(status.held),
    remaining_usd: status.remaining === undefined ? null : usdOf(status.remaining),
    resets_at: writeTimeOrNull(status.resetsAtMs),
  }
}

function describeCredit({ budget, status, balance }: CreditAccount): JsonObject {
  const { nextLapse } = balance
  return {
    scope: budget.scope.type,
    spent_usd: usdOf(status.spent),
    held_usd: usdOf(status.held),
    remaining_usd: usdOf(balance.remaining),
    next_lapse:
      nextLapse === undefined ? null : { at: writeTime(nextLapse.atMs), amount_usd: usdOf(nextLapse.amount) },
  }
}

function describeRate({ limit: { name, terms }, levels, running }: RateAccount): readonly JsonObject[] {
  const byMinute = levels.map(({ kind, limit, remaining, resetMs }) => ({
    name,
    kind,
    limit,
    remaining,
    resets_in_ms: resetMs,
  }))
  const { concurrency } = terms
  if (concurrency === undefined) return byMinute
  const remaining = Math.max(0, concurrency - running)
  return [...byMinute, { name, kind: 'concurrency', limit: concurrency, remaining, resets_in_ms: null }]
}

/**
 * Writes a window in OpenRouter's words; null where OpenRouter has no word for it. The budget's `resets_at` then says
 * more.
 */
function writeReset(window: BudgetWindow): string | null {
  if (window.type !== 'calendar') return null
  switch (window.unit) {
    case 'day':
      return 'daily'
    case 'week':
      return 'weekly'
    case 'month':
      return 'monthly'
    case 'minute':
    case 'hour':
      return null
  }
}

/** The amount that clients of these paths read as "no limit". */
const NO_LIMIT_USD = 100_000_000

/**
 * The answer of `GET /v1/dashboard/billing/subscription`, as OpenAI gave it and as one-api and its successors give it.
 * Clients subtract the use from `hard_limit_usd` to show what is left.
 */
export function describeSubscription({ expiresAtMs }: Caller, account: CallerAccount): JsonObject {
  const limit = lowestRemainingLimit(account)
  const usd = limit === undefined ? NO_LIMIT_USD : usdOf(limit.limit)
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: usd,
    hard_limit_usd: usd,
    system_hard_limit_usd: usd,
    access_until: expiresAtMs === undefined ? 0 : unixSeconds(expiresAtMs),
  }
}

/** The use of the limit with the lowest remainder; undefined where no limit applies to the caller's spending. */
export function usedOf(account: CallerAccount): NanoDollars | undefined {
  return lowestRemainingLimit(account)?.used
}

const NANO_DOLLARS_IN_A_CENT = 10_000_000

/** The answer of `GET /v1/dashboard/billing/usage`. Its unit is the cent. */
export function describeUsage(nanoDollars: number): JsonObject {
  return { object: 'list', total_usage: nanoDollars / NANO_DOLLARS_IN_A_CENT }
}
