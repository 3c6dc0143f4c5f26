import type { ReadyScript } from '../../../tools/chaos/ready/ready-script.ts'
import { expectedCodes } from './expected-codes.ts'
import { expectedOutcomes, type Outcome } from './expected-outcomes.ts'

type Format = 'chat' | 'messages'

export interface FaultCase {
  readonly script: string
  /** The case's own public model, and a part of its channels' names. */
  readonly model: string
  readonly caller: Format
  readonly channel: Format
  readonly form: 'stream' | 'whole'
  /** `raw`: a bare caller judges the bytes; `sdk`: the official client of the caller's format. */
  readonly judge: 'raw' | 'sdk'
  /** Whether there is a healthy target after the failing one. */
  readonly hasSpare: boolean
  readonly isTimed: boolean
  readonly outcome: Outcome
  readonly spareIsAsked: boolean
}

const formats = ['chat', 'messages'] as const
const judges = ['raw', 'sdk'] as const

/**
 * All that is asked of one ready-made script: callers × channels × forms × judges, without and with a healthy target.
 */
export function listFaultCases(ready: ReadyScript): readonly FaultCase[] {
  const expectation = expectedOutcomes[ready.name]
  if (expectation === undefined) throw new Error(`nothing is expected of ${ready.name}`)
  const ways = ready.formats.flatMap((channel) =>
    formats.flatMap((caller) => ready.forms.map((form) => ({ channel, caller, form }))),
  )
  const asked = ways.flatMap((direction) =>
    judges.flatMap((judge) => [false, true].map((hasSpare) => ({ ...direction, judge, hasSpare }))),
  )
  return asked.map((each, index) => {
    // The chat format has no blocks: such words belong to its answer.
    const isBlockless = ready.id === 'F30' && each.channel === 'chat'
    const alone: Outcome = isBlockless ? { type: 'whole', text: 'other' } : expectation[each.form]
    const spareIsAsked = each.hasSpare && alone.type === 'error' && expectedCodes[alone.code].movesOn
    return {
      ...each,
      script: ready.name,
      model: `case-${index}`,
      isTimed: expectation.isTimed,
      outcome: spareIsAsked ? { type: 'whole', text: 'same' } : alone,
      spareIsAsked,
    }
  })
}

export function describeCase({ script, caller, channel, form, judge, hasSpare }: FaultCase): string {
  const lane = caller === channel ? 'verbatim' : `translated to ${channel}`
  return `${script}, ${caller} ${form} ${lane}, ${hasSpare ? 'with another target' : 'alone'}, ${judge}`
}
