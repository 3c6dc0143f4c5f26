import { z } from 'zod'
import type { BudgetView } from '../../../../src/admin/budgets/budget-contract.ts'
import { writePatch } from '../../changes/write-patch.ts'
import { readAmount } from '../../forms/read-amount.ts'
import { writeAmount } from '../../forms/write-amount.ts'
import { t } from '../../language/language.ts'
import { budgetScopes } from './budget-search.ts'

export const budgetWindows = ['hour', 'day', 'week', 'month', 'total'] as const
export const limitActions = ['clamp', 'refuse', 'fallback'] as const

/** A budget of the installation, as typed into the form. */
export type InstallationBudgetDraft = {
  readonly name: string
  readonly scope_type: string
  /** The name of the object that the budget applies to. For a tag it may be `team` or `team=search`. */
  readonly scope_name: string
  readonly limit_usd: string
  readonly window: string
  readonly time_zone: string
  readonly mode: string
  readonly at_limit: string
  readonly fallback: string
  readonly warn_at: readonly string[]
}

export const emptyBudget: InstallationBudgetDraft = {
  name: '',
  scope_type: 'installation',
  scope_name: '',
  limit_usd: '',
  window: 'month',
  time_zone: 'UTC',
  mode: 'exact',
  at_limit: 'clamp',
  fallback: '',
  warn_at: ['50', '80', '95', '100'],
}

export function draftInstallationBudget(view: BudgetView): InstallationBudgetDraft {
  const { base_limit_usd: limit } = view
  const colon = view.scope.indexOf(':')
  return {
    name: view.name,
    scope_type: colon === -1 ? view.scope : view.scope.slice(0, colon),
    scope_name: colon === -1 ? '' : view.scope.slice(colon + 1),
    limit_usd: typeof limit === 'number' ? writeAmount(limit) : limit,
    window: view.window,
    time_zone: view.time_zone ?? 'UTC',
    mode: view.mode,
    at_limit: view.at_limit,
    fallback: view.fallback ?? '',
    warn_at: view.warn_at.map(String),
  }
}

export function budgetFormSchema() {
  const percent = z.string().refine((text) => isPercent(text), { error: t('budgets.warn_at.wrong') })
  return z
    .object({
      name: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
      scope_type: z.enum(budgetScopes),
      scope_name: z.string().trim(),
      limit_usd: z.string().refine((text) => text.trim() === 'unlimited' || readAmount(text) >= 0, {
        error: t('budget.limit.wrong'),
      }),
      window: z.string(),
      time_zone: z.string(),
      mode: z.string(),
      at_limit: z.string(),
      fallback: z.string(),
      warn_at: z.array(percent),
    })
    .superRefine((draft, context) => {
      const missing = (path: string) =>
        context.addIssue({ code: 'custom', path: [path], message: t('form.required') })
      if (draft.scope_type !== 'installation' && draft.scope_name === '') missing('scope_name')
      if (effectOf(draft) === 'fallback' && draft.fallback.trim() === '') missing('fallback')
    })
}

function isPercent(text: string): boolean {
  const percent = Number(text.replace('%', ''))
  return Number.isInteger(percent) && percent >= 1 && percent <= 100
}

/** The action at the limit. Undefined if the mode leaves no choice. */
export function effectOf({ mode, at_limit: atLimit }: Pick<InstallationBudgetDraft, 'mode' | 'at_limit'>) {
  if (mode === 'observe') return undefined
  return mode === 'estimate' && atLimit === 'clamp' ? 'refuse' : atLimit
}

export function isByCalendar(window: string): boolean {
  return window !== 'total' && !window.startsWith('rolling')
}

/** The budget in the syntax of the configuration. */
export function writeInstallationBudget(draft: InstallationBudgetDraft): Readonly<Record<string, unknown>> {
  const effect = effectOf(draft)
  const limit = draft.limit_usd.trim()
  return {
    name: draft.name,
    scope: draft.scope_type === 'installation' ? 'installation' : `${draft.scope_type}:${draft.scope_name}`,
    limit_usd: limit === 'unlimited' ? limit : readAmount(limit),
    window: draft.window,
    mode: draft.mode,
    warn_at: draft.warn_at.map((text) => Number(text.replace('%', ''))),
    ...(isByCalendar(draft.window) && draft.time_zone !== '' && { time_zone: draft.time_zone }),
    ...(effect !== undefined && { at_limit: effect }),
    ...(effect === 'fallback' && { fallback: draft.fallback.trim() }),
  }
}

export function patchInstallationBudget(initial: InstallationBudgetDraft, draft: InstallationBudgetDraft) {
  return writePatch(writeInstallationBudget(initial), writeInstallationBudget(draft))
}
