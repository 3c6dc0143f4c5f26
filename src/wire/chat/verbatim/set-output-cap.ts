import { type LoweredCap, lowerBudget } from '../../fields/cap-request.ts'
import { lowerCap } from '../../verbatim/lower-field.ts'
import { readSent } from '../../verbatim/read-count.ts'
import { setField } from '../../verbatim/scan-body.ts'
import { type ScannedMember, scanMember } from '../../verbatim/scan-member.ts'
import type { CapChange, Edit, OutputCap, ScannedRequest } from '../../wire-format.ts'

const names = ['max_completion_tokens', 'max_tokens']

/** Thinking budgets in the formats of different servers: the object that holds the field, and the field's name. */
const budgets = [
  [undefined, 'thinking_budget'],
  ['thinking', 'budget_tokens'],
  ['reasoning', 'max_tokens'],
] as const

export function setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange {
  const { edits, from } = lowerCap(scanned, { names, added: cap.dialect.maxTokensField }, cap)
  if (edits.length === 0) return { edits, losses: [] }
  const lowered = { from, to: cap.tokens }
  const lowerBudgets = budgets.flatMap(([outer, name]) => {
    const field = outer === undefined ? undefined : scanned.fields.get(outer)
    const holder = outer === undefined ? scanned : field && scanMember(scanned, field)
    return holder === undefined ? [] : lowerBudgetIn(holder, name, lowered)
  })
  return { edits: [...edits, ...lowerBudgets], losses: [] }
}

function lowerBudgetIn(holder: ScannedMember, name: string, lowered: LoweredCap): readonly Edit[] {
  const budget = readSent(holder, name)
  if (typeof budget !== 'number') return []
  const fitted = lowerBudget(budget, lowered)
  return fitted < budget ? [setField(holder, name, `${fitted}`)] : []
}
