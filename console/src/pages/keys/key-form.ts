import { z } from 'zod'
import type { CreatedKey, KeyView } from '../../../../src/admin/keys/key-contract.ts'
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
import { t } from '../../language/language.ts'

/**
 * The lifetimes that a new key may have. `usual` is the default of its group, and `date` is a chosen day. An
 * existing key has one more, which leaves its expiry unchanged.
 */
export const lives = ['never', '7d', '30d', '90d', '365d', 'date'] as const
export const ownLives = ['usual', ...lives] as const

// A type and not an interface, since a form holds values by any name.
export type KeyDraft = {
  readonly name: string
  readonly group: string
  readonly user: string
  readonly models: readonly string[]
  readonly life: string
  /** The last day on which a key is valid, if its lifetime is a date. */
  readonly last_day: string
  readonly budgets: readonly BudgetDraft[]
  readonly rate: RateDraft
  readonly allow_ips: readonly string[]
  readonly dry_run: boolean
  readonly passthrough: readonly string[]
}

export const emptyKey: KeyDraft = {
  name: '',
  group: '',
  user: '',
  models: [],
  life: 'usual',
  last_day: '',
  budgets: [],
  rate: emptyRate,
  allow_ips: [],
  dry_run: false,
  passthrough: [],
}

export function draftKey(key: KeyView): KeyDraft {
  const { name, group, user, models, budgets, rate, allow_ips, dry_run, passthrough } = key
  return {
    name,
    models,
    allow_ips,
    dry_run,
    passthrough,
    // The expiry is part of the value, so that a form finds out that another user changed it.
    life: `keep ${key.expires_at ?? 'never'}`,
    last_day: '',
    group: group ?? '',
    user: user ?? '',
    budgets: budgets.map(draftBudget),
    rate: draftRate(rate),
  }
}

export function keyDraftSchema() {
  return z
    .object({
      name: z
        .string()
        .trim()
        .min(1, { error: t('form.required') })
        .max(64, { error: t('keys.name.long') }),
      group: z.string().trim(),
      user: z.string(),
      models: z.array(z.string()),
      life: z.string(),
      last_day: z.string(),
      budgets: budgetDraftsSchema(),
      rate: rateDraftSchema(),
      allow_ips: z.array(z.string()),
      dry_run: z.boolean(),
      passthrough: z.array(z.string()),
    })
    .refine(({ life, last_day }) => life !== 'date' || !Number.isNaN(endOfDay(last_day)), {
      path: ['last_day'],
      error: t('form.required'),
    })
}

/** The expiry of a key in the syntax of the API. */
function writeEnd({ life, last_day: day }: Pick<KeyDraft, 'life' | 'last_day'>): string | null {
  if (life === 'never') return null
  return life === 'date' ? new Date(endOfDay(day)).toISOString() : life
}

/** The end of the last day of a key in the viewer's time zone, in which the key's page shows it. NaN for no day. */
function endOfDay(day: string): number {
  return Date.parse(`${day}T23:59:59`)
}

/** The request for a new key. Empty fields get the defaults of its group. */
export function writeKeyOrder(draft: KeyDraft) {
  const { name, group, user, models, life, budgets, allow_ips, dry_run, passthrough } = draft
  const rate = writeRate(draft.rate)
  return {
    name,
    ...(models.length > 0 && { models }),
    ...(group !== '' && { group }),
    ...(user !== '' && { user }),
    ...(life !== 'usual' && { expires_at: writeEnd(draft) }),
    ...(budgets.length > 0 && { budgets: budgets.map(writeBudget) }),
    ...(rate !== null && { rate }),
    ...(allow_ips.length > 0 && { allow_ips }),
    ...(dry_run && { dry_run }),
    ...(passthrough.length > 0 && { passthrough }),
  }
}

/**
 * The fields that differ from those before the change. Nothing else is sent, so that two users who change a key do not undo each
 * other's changes.
 */
export function writeKeyChange(before: KeyDraft, draft: KeyDraft, key: KeyView) {
  const differs = (name: keyof KeyDraft) => JSON.stringify(draft[name]) !== JSON.stringify(before[name])
  return {
    ...(differs('name') && { name: draft.name }),
    ...(differs('models') && { models: draft.models.length === 0 ? ['*'] : draft.models }),
    ...(differs('group') && { group: draft.group === '' ? null : draft.group }),
    ...(differs('user') && { user: draft.user === '' ? null : draft.user }),
    ...(differs('life') && { expires_at: writeEnd(draft) }),
    ...(differs('budgets') && { budgets: draft.budgets.map(writeBudget) }),
    ...(differs('rate') && { rate: writeRate(draft.rate, key.rate) }),
    ...(differs('allow_ips') && { allow_ips: draft.allow_ips.length === 0 ? null : draft.allow_ips }),
    ...(differs('dry_run') && { dry_run: draft.dry_run }),
    ...(differs('passthrough') && { passthrough: draft.passthrough }),
  }
}

/** A newly made secret with the ID and the name of its key. */
export type MadeKey = Pick<CreatedKey, 'id' | 'name' | 'secret'>
