import { lowerCap } from '../../verbatim/lower-field.ts'
import type { CapChange, OutputCap, ScannedRequest } from '../../wire-format.ts'

const fields = { names: ['max_tokens'], added: 'max_tokens', min: 0 }

export function setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange {
  return { edits: lowerCap(scanned, fields, cap).edits, losses: [] }
}
