import { z } from 'zod'

const text = z.string().optional().catch(undefined)

const budgetTabs = ['budgets', 'credits', 'codes'] as const
export type BudgetTab = (typeof budgetTabs)[number]

export const budgetScopes = ['installation', 'key', 'user', 'group', 'tag', 'model', 'channel'] as const

/** The state of the page, as stored in the address. */
export const budgetSearchSchema = z.object({
  tab: z.enum(budgetTabs).optional().catch(undefined),
  q: text,
  scope: z.enum(budgetScopes).optional().catch(undefined),
  sort: text,
  /** The name of the open budget, and a value of its tag. */
  budget: text,
  value: text,
  /** The owner of the open credit, such as group:search. */
  credit: text,
  make: z.enum(['budget', 'grant', 'codes', 'redeem']).optional().catch(undefined),
})

export type BudgetSearch = z.output<typeof budgetSearchSchema>

export interface BudgetSearchProps {
  readonly search: BudgetSearch
  readonly onChange: (next: Partial<BudgetSearch>) => void
}
