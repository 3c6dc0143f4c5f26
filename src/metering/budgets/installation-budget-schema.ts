import { z } from 'zod'
import { nameSchema } from '../../access/key-schema.ts'
import { budgetFields, checkBudgetFields, readBudget } from '../../access/limits/budget-schema.ts'
import type { BudgetTerms } from '../../access/limits/budget-terms.ts'
import { limitNameSchema } from '../../access/limits/limit-name-schema.ts'
import { tagNameSchema, tagValueSchema } from '../../access/limits/tags-schema.ts'
import { withFormat } from '../../kit/schema/input-fact.ts'
import type { BudgetScope } from '../budget.ts'

/** One entry of the section `budgets`. */
export interface InstallationBudget {
  readonly name: string
  readonly scope: BudgetScope
  readonly terms: BudgetTerms
}

const scopeError = withFormat(
  'must be installation, or user:NAME, group:NAME, key:NAME, model:NAME, channel:NAME, tag:NAME or tag:NAME=VALUE',
  'budget_scope',
)
const MAX_BUDGETS = 1_000

const scopeSchema = z.string({ error: scopeError }).transform((text, context): BudgetScope => {
  const scope = readScope(text)
  if (scope !== undefined) return scope
  context.addIssue({ code: 'custom', message: scopeError })
  return z.NEVER
})

function readScope(text: string): BudgetScope | undefined {
  if (text === 'installation') return { type: 'installation' }
  const colon = text.indexOf(':')
  const [type, name] = [text.slice(0, colon), text.slice(colon + 1)]
  switch (type) {
    case 'key':
    case 'user':
    case 'group':
      return nameSchema.safeParse(name).success ? { type, name } : undefined
    case 'model':
    case 'channel':
      return name === '' ? undefined : { type, name }
    case 'tag':
      return readTagScope(name)
    default:
      return undefined
  }
}

function readTagScope(text: string): BudgetScope | undefined {
  const equals = text.indexOf('=')
  const [name, value] = equals === -1 ? [text] : [text.slice(0, equals), text.slice(equals + 1)]
  if (!tagNameSchema.safeParse(name).success) return undefined
  if (value !== undefined && !tagValueSchema.safeParse(value).success) return undefined
  return { type: 'tag', name, value }
}

const installationBudgetSchema = z
  .strictObject({ name: limitNameSchema, scope: scopeSchema, ...budgetFields })
  .superRefine(checkBudgetFields)
  .transform(
    ({ name, scope, ...input }): InstallationBudget => ({ name, scope, terms: readBudget(input, name) }),
  )

/** The section `budgets`. */
export const installationBudgetsSchema = z
  .array(installationBudgetSchema, {
    error:
      'must be a list of budgets, such as [{ name: all, scope: installation, limit_usd: 1000, window: month }]',
  })
  .max(MAX_BUDGETS, { error: `must have at most ${MAX_BUDGETS} entries` })
