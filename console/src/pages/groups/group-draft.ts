import { z } from 'zod'
import type { GroupView } from '../../../../src/admin/groups/group-contract.ts'
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
} from '../../budgets/budget-drafts.ts'
import { optionalAmount, readAmount } from '../../forms/amounts.ts'
import { t } from '../../language/language.ts'

// A type and not an interface, since a form holds values by any name.
export type GroupDraft = {
  readonly name: string
  readonly models: readonly string[]
  readonly multiplier: string
  readonly budgets: readonly BudgetDraft[]
  readonly rate: RateDraft
}

export const emptyGroup: GroupDraft = { name: '', models: [], multiplier: '', budgets: [], rate: emptyRate }

/** The parts of a group that the form shows, as the configuration writes them. */
const writtenGroupSchema = z.object({
  models: z.array(z.string()).optional(),
  multiplier: z.number().optional(),
  budgets: z
    .array(
      z.looseObject({
        limit_usd: z.union([z.number(), z.literal('unlimited')]),
        window: z.string(),
        mode: z.enum(['exact', 'estimate', 'observe']).default('exact'),
        warn_at: z.array(z.number()).default([]),
      }),
    )
    .optional(),
  rate: z
    .looseObject({
      rpm: z.number().optional(),
      tpm: z.number().optional(),
      concurrency: z.number().optional(),
    })
    .nullish(),
})

export function draftGroup(group: GroupView): GroupDraft {
  const { models = [], multiplier, budgets = [], rate } = readGroup(group)
  return {
    name: group.name,
    models,
    multiplier: multiplier === undefined ? '' : String(multiplier),
    budgets: budgets.map(draftBudget),
    rate: draftRate(rate ?? null),
  }
}

export function readGroup(group: GroupView) {
  const read = writtenGroupSchema.safeParse(group)
  return read.success ? read.data : {}
}

export function groupDraftSchema() {
  return z.object({
    name: z
      .string()
      .trim()
      .min(1, { error: t('form.required') }),
    models: z.array(z.string()),
    multiplier: optionalAmount(),
    budgets: budgetDraftsSchema(),
    rate: rateDraftSchema(),
  })
}

/** The group in the words of the configuration; with `null` where a field of an existing one goes. */
export function writeGroup({ models, multiplier, budgets, rate }: GroupDraft) {
  return {
    models: models.length === 0 ? null : models,
    multiplier: multiplier.trim() === '' ? null : readAmount(multiplier),
    budgets: budgets.length === 0 ? null : budgets.map(writeBudget),
    rate: writeRate(rate),
  }
}
