import { lowerCap } from '../../verbatim/lower-field.ts'
import type { CapChange, OutputCap, ScannedRequest } from '../../wire-format.ts'

const fields = { names: ['max_output_tokens'], added: 'max_output_tokens' }

/** Reasoning has no separate budget in this format; it is part of the output cap. */
export function setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange {
  return { edits: lowerCap(scanned, fields, cap).edits, losses: [] }
}
