import { z } from 'zod'
import { writePatch } from '../changes/write-patch.ts'
import {
  type BudgetDraft,
  budgetDraftsSchema,
  draftBudget,
  draftRate,
  emptyRate,
  type RateDraft,
  rateDraftSchema,
  writeBudget,
  writeRate,
} from './budget-drafts.ts'

/** The budgets and rates of a group or a user, in the syntax of the configuration. */
const writtenLimitsSchema = z.object({
  budgets: z
    .array(
      z.looseObject({
        limit_usd: z.union([z.number(), z.literal('unlimited')]).default('unlimited'),
        window: z.string(),
        mode: z.enum(['exact', 'estimate', 'observe']).default('exact'),
        warn_at: z.array(z.number()).default([]),
      }),
    )
    .default([]),
  rate: z
    .looseObject({
      rpm: z.number().optional(),
      tpm: z.number().optional(),
      input_tpm: z.number().optional(),
      output_tpm: z.number().optional(),
      concurrency: z.number().optional(),
    })
    .nullable()
    .default(null),
})

export type WrittenLimits = z.output<typeof writtenLimitsSchema>

const noLimits: WrittenLimits = { budgets: [], rate: null }

/** Reads the budgets and rates of an object of the configuration. */
export function readLimits(object: unknown): WrittenLimits {
  const read = writtenLimitsSchema.safeParse(object)
  return read.success ? read.data : noLimits
}

/** The part of a form that holds budgets and a rate. */
export type LimitsDraft = {
  readonly budgets: readonly BudgetDraft[]
  readonly rate: RateDraft
}

export const emptyLimits: LimitsDraft = { budgets: [], rate: emptyRate }

export function draftLimits(object: unknown): LimitsDraft {
  const { budgets, rate } = readLimits(object)
  return { budgets: budgets.map(draftBudget), rate: draftRate(rate) }
}

export const limitsDraftFields = () => ({ budgets: budgetDraftsSchema(), rate: rateDraftSchema() })

/** The limits in the syntax of the configuration. */
export function writeLimits({ budgets, rate }: LimitsDraft) {
  return { budgets: budgets.length === 0 ? null : budgets.map(writeBudget), rate: writeRate(rate) }
}

/** The changed limits as a merge patch. Fields of the object that no form shows are unchanged. */
export function patchLimits(initial: LimitsDraft, draft: LimitsDraft, object: unknown) {
  const [before, after] = [writeLimits(initial), writeLimits(draft)]
  const { rate: shown, ...budgets } = writePatch(before, after)
  if (shown === undefined) return budgets
  const isGone = writeRate(draft.rate, readLimits(object).rate) === null
  // A merge patch joins maps field by field.
  return { ...budgets, rate: isGone ? null : writePatch(before.rate ?? {}, after.rate ?? {}) }
}
