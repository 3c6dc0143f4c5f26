import type { ReadyScript } from '../../../tools/chaos/ready/ready-script.ts'
import type { Outcome } from './expected-outcomes.ts'
import type { FaultCase } from './list-fault-cases.ts'

/** The time that live answers get when the gateway is asked to end: long enough for all, or for none. */
export type DrainLimit = 'enough' | 'too-short'

const formats = ['chat', 'messages'] as const
const judges = ['raw', 'sdk'] as const

/**
 * Callers × channels × forms × judges, without and with a healthy target, of a script that others than the upstream
 * bring about.
 */
export function listLifecycleCases(
  { name, forms, formats: channels }: ReadyScript,
  outcome: Outcome,
): readonly FaultCase[] {
  const ways = channels.flatMap((channel) =>
    formats.flatMap((caller) => forms.map((form) => ({ channel, caller, form }))),
  )
  const asked = ways.flatMap((direction) =>
    judges.flatMap((judge) => [false, true].map((hasSpare) => ({ ...direction, judge, hasSpare }))),
  )
  return asked.map((each, index) => ({
    ...each,
    script: name,
    model: `case-${index}`,
    isTimed: false,
    outcome,
    // Neither a caller who leaves nor an end of the gateway is a fault of the target.
    spareIsAsked: false,
  }))
}

/** The view that callers of a gateway which ends have of an answer in progress. */
export function outcomeOfEnd({ phase }: ReadyScript, limit: DrainLimit): Outcome {
  const hasBegun = phase === 'after-content'
  if (limit === 'enough') return { type: 'whole', text: 'same', words: hasBegun ? 60 : 20 }
  return { type: hasBegun ? 'event' : 'error', code: 'shutting_down' }
}
