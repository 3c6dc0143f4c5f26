// Writes limits in the syntax of the configuration, for the admin API and the store. Parsing the result gives the
// same limits.
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'
import { type BudgetMode, type BudgetTerms, writeWindow } from './budget-terms.ts'
import type { RateTerms } from './rate-schema.ts'
import { usdOf } from './usd-schema.ts'

export interface WrittenBudget {
  name?: string
  limit_usd: number | 'unlimited'
  window: string
  time_zone?: string
  mode: BudgetMode
  at_limit?: 'clamp' | 'refuse' | 'fallback'
  fallback?: string
  warn_at: number[]
}

export interface WrittenRate {
  rpm?: number
  tpm?: number
  input_tpm?: number
  output_tpm?: number
  concurrency?: number
  burst?: number
  wait?: string
}

export function writeBudget({ name, limit, window, mode, atLimit, warnAt }: BudgetTerms): WrittenBudget {
  return {
    ...(name !== undefined && { name }),
    limit_usd: limit === undefined ? 'unlimited' : usdOf(limit),
    window: writeWindow(window),
    ...(window.type === 'calendar' && { time_zone: window.timeZone }),
    mode,
    ...(mode !== 'observe' && { at_limit: atLimit.type }),
    ...(atLimit.type === 'fallback' && { fallback: atLimit.model }),
    warn_at: [...warnAt],
  }
}

export function writeRate(rate: RateTerms): WrittenRate {
  return omitUndefined({
    rpm: rate.requestsPerMinute,
    tpm: rate.tokensPerMinute,
    input_tpm: rate.inputTokensPerMinute,
    output_tpm: rate.outputTokensPerMinute,
    concurrency: rate.concurrency,
    burst: rate.burst,
    wait: rate.waitMs === 0 ? undefined : writeDuration(rate.waitMs),
  })
}
