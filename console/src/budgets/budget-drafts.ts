import { z } from 'zod'
import type { KeyView } from '../../../src/admin/keys/key-contract.ts'
import { optionalAmount } from '../forms/amounts.ts'
import { readAmount } from '../forms/read-amount.ts'
import { writeAmount } from '../forms/write-amount.ts'
import { t } from '../language/language.ts'

type WrittenBudget = KeyView['budgets'][number]

/** The fields of a key's or a group's budget that forms read. */
type ReadBudget = Pick<WrittenBudget, 'limit_usd' | 'window' | 'mode'> & BudgetDraft['rest']
type ReadRate = { readonly [Limit in keyof RateDraft]?: number | undefined }

/** A budget in a form. Fields that the form does not show are sent back unchanged. */
export interface BudgetDraft {
  readonly limit: string
  readonly window: string
  readonly mode: WrittenBudget['mode']
  readonly rest: { readonly warn_at: readonly number[]; readonly [field: string]: unknown }
}

/** The rate limits that forms show. */
export interface RateDraft {
  readonly rpm: string
  readonly tpm: string
  readonly concurrency: string
}

export const windows = ['hour', 'day', 'week', 'month', 'total'] as const
export const modes = ['exact', 'estimate', 'observe'] as const
export const emptyRate: RateDraft = { rpm: '', tpm: '', concurrency: '' }

export const newBudget: BudgetDraft = {
  limit: '',
  window: 'month',
  mode: 'exact',
  rest: { warn_at: [50, 80, 95, 100] },
}

export function draftBudget({ limit_usd: limit, window, mode, ...rest }: ReadBudget): BudgetDraft {
  const text = typeof limit === 'number' ? writeAmount(limit) : limit
  return { limit: text, window, mode, rest }
}

/** The budget in the syntax of the configuration. */
export function writeBudget({ limit, window, mode, rest }: BudgetDraft) {
  const { warn_at: warnAt, ...others } = rest
  return {
    ...others,
    window,
    mode,
    limit_usd: limit.trim() === 'unlimited' ? 'unlimited' : readAmount(limit),
    ...(warnAt.length > 0 && { warn_at: warnAt }),
  }
}

export function budgetDraftsSchema() {
  const limit = z.string().superRefine((text, context) => {
    const isAmount = text.trim() === 'unlimited' || readAmount(text) >= 0
    if (!isAmount) context.addIssue({ code: 'custom', message: t('budget.limit.wrong') })
  })
  return z.array(
    z.object({ limit, window: z.string(), mode: z.enum(modes), rest: z.custom<BudgetDraft['rest']>() }),
  )
}

export const rateDraftSchema = () =>
  z.object({
    rpm: optionalAmount({ isWhole: true }),
    tpm: optionalAmount({ isWhole: true }),
    concurrency: optionalAmount({ isWhole: true }),
  })

export function draftRate(rate: ReadRate | null): RateDraft {
  const text = (value: number | undefined) => (value === undefined ? '' : String(value))
  return { rpm: text(rate?.rpm), tpm: text(rate?.tpm), concurrency: text(rate?.concurrency) }
}

/** The rate in the syntax of the configuration. Null if nothing is limited. */
export function writeRate<Before extends ReadRate>(draft: RateDraft, before: Before | null = null) {
  const { rpm: _rpm, tpm: _tpm, concurrency: _concurrency, ...rest } = before ?? {}
  const typed = Object.entries(draft).filter(([, text]) => text.trim() !== '')
  const rate = { ...rest, ...Object.fromEntries(typed.map(([name, text]) => [name, readAmount(text)])) }
  return Object.keys(rate).length === 0 ? null : rate
}
