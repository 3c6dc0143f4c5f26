import type { Reasoning } from '../../canonical/request.ts'

/** Whether the caller turned reasoning off. */
export function isReasoningOff(reasoning: Reasoning | undefined): boolean {
  return reasoning?.mode === 'off' || (reasoning?.mode === undefined && reasoning?.effort === 'none')
}
