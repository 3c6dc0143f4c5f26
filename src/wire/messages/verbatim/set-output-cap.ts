import { lowerBudget } from '../../fields/cap-request.ts'
import { lowerCap } from '../../verbatim/lower-field.ts'
import { readSent } from '../../verbatim/read-count.ts'
import { setField } from '../../verbatim/scan-body.ts'
import { scanMember } from '../../verbatim/scan-member.ts'
import type { CapChange, OutputCap, ScannedRequest } from '../../wire-format.ts'

const fields = { names: ['max_tokens'], added: 'max_tokens', min: 0 }

/**
 * Lowers the output cap and the thinking budget. The budget must be at least 1,024 tokens and below the cap
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking, seen 2026-11-23). A cap without room for
 * the budget turns thinking off, which is a loss.
 */
export function setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange {
  const { edits, from } = lowerCap(scanned, fields, cap)
  const field = scanned.fields.get('thinking')
  const thinking = field && scanMember(scanned, field)
  const budget = thinking && readSent(thinking, 'budget_tokens')
  if (edits.length === 0 || thinking === undefined || typeof budget !== 'number') return { edits, losses: [] }
  const fitted = lowerBudget(budget, { from, to: cap.tokens })
  if (fitted >= cap.tokens && budget < (from ?? 0)) {
    const off = setField(scanned, 'thinking', '{"type":"disabled"}')
    return { edits: [...edits, off], losses: [{ feature: 'thinking-mode', kind: 'dropped' }] }
  }
  const lower = fitted < budget ? [setField(thinking, 'budget_tokens', `${fitted}`)] : []
  return { edits: [...edits, ...lower], losses: [] }
}
