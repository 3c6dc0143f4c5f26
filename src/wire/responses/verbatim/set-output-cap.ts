import { lowerCap } from '../../verbatim/lower-field.ts'
import type { CapChange, OutputCap, ScannedRequest } from '../../wire-format.ts'

const fields = { names: ['max_output_tokens'], added: 'max_output_tokens' }

/** Reasoning has no budget of its own here: the cap holds it. */
export function setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange {
  return { edits: lowerCap(scanned, fields, cap).edits, losses: [] }
}
