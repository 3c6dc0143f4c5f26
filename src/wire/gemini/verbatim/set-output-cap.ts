import { lowerBudget } from '../../fields/cap-request.ts'
import { lowerCap, type SetCap } from '../../verbatim/lower-field.ts'
import { fieldValue, setField } from '../../verbatim/scan-body.ts'
import { type ScannedMember, scanMember } from '../../verbatim/scan-member.ts'
import type { CapChange, Edit, FieldSpan, OutputCap, ScannedRequest } from '../../wire-format.ts'
import { findField } from './find-field.ts'

/**
 * Lowers the output cap. Thoughts are part of the output, so the cap limits them too. Their budget is lowered as well,
 * so that tokens remain for the answer.
 */
export function setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange {
  const field = findField(scanned, 'generationConfig')
  const config = field && scanMember(scanned, field)
  if (config === undefined) return { edits: addConfig(scanned, field, cap), losses: [] }
  const name = findField(config, 'maxOutputTokens')?.name.toLowerCase() ?? 'maxOutputTokens'
  const set = lowerCap(config, { names: [name], added: name }, cap)
  if (set.edits.length === 0) return { edits: [], losses: [] }
  return { edits: [...set.edits, ...lowerThinking(config, set, cap)], losses: [] }
}

/** Adds `generationConfig`. Null means the same as absent. Any other value stays, and the upstream refuses it. */
function addConfig(scanned: ScannedRequest, field: FieldSpan | undefined, cap: OutputCap): readonly Edit[] {
  const { body } = scanned
  if (field !== undefined && body.textOf(field) !== 'null') return []
  const none: ScannedMember = { body, fields: new Map(), insertAt: 0, isEmpty: true }
  const [added] = lowerCap(none, { names: [], added: 'maxOutputTokens' }, cap).edits
  if (added === undefined) return []
  return [setField(scanned, field?.name.toLowerCase() ?? 'generationConfig', `{${added.text}}`)]
}

function lowerThinking(config: ScannedMember, { from }: SetCap, { tokens }: OutputCap): readonly Edit[] {
  const field = findField(config, 'thinkingConfig')
  const thinking = field && scanMember(config, field)
  const budgetField = thinking && findField(thinking, 'thinkingBudget')
  const budget = budgetField && fieldValue(config.body, budgetField)
  if (budgetField === undefined || typeof budget !== 'number') return []
  const fitted = lowerBudget(budget, { from, to: tokens })
  if (fitted >= budget) return []
  return [{ start: budgetField.valueStart, end: budgetField.valueEnd, text: `${fitted}` }]
}
