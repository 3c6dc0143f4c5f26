import { createSeededRandom } from '../../kit/values/seeded-random.ts'
import type { DeliveryStep } from './delivery.ts'
import { editEvents } from './edit-events.ts'
import { editUsage } from './edit-usage.ts'
import { encodeBody } from './encode-body.ts'
import type { FaultCall } from './fault-call.ts'
import type { Fault } from './fault-schema.ts'
import { type CallTurn, isMatch } from './match-rule.ts'
import { planAnswer } from './plan-answer.ts'
import { planDelivery } from './plan-delivery.ts'
import type { UpstreamScript } from './script-schema.ts'
import { shapeText } from './shape-text.ts'

export interface ResponsePlan {
  readonly script: UpstreamScript
  readonly seed: number
  readonly call: FaultCall
  readonly turn: CallTurn
  /** Wall time. */
  readonly nowMs: number
}

export interface ChosenRule {
  /** Its place among the rules; undefined where none holds. */
  readonly index: number | undefined
  readonly fault: Fault
}

const noFault: Fault = {}

/** The first rule that holds. What is drawn depends on the seed, the request's number and the rule alone. */
export function chooseRule({ script, seed, call, turn }: ResponsePlan): ChosenRule {
  const index = script.rules.findIndex(({ when }, place) =>
    isMatch(when, call, { turn, random: createSeededRandom(seed, turn.attempt, place) }),
  )
  const rule = script.rules[index]
  return rule === undefined ? { index: undefined, fault: noFault } : { index, fault: rule.do }
}

/** Everything that will be sent to a request, and when. Pure. */
export function planResponse(plan: ResponsePlan, fault: Fault): readonly DeliveryStep[] {
  const { script, seed, call, turn, nowMs } = plan
  // Apart from the numbers with which rules are chosen.
  const random = createSeededRandom(seed, turn.attempt, script.rules.length + 1)
  const said = planAnswer({
    call,
    script: script.answer,
    id: `fault-${turn.attempt}`,
    createdAtSeconds: Math.floor(nowMs / 1000),
    isWide: fault.text?.wide_characters === true,
    reply: fault.reply,
    nowMs,
  })
  const counted = fault.usage === undefined ? said : editUsage(said, fault.usage)
  const edited = editEvents(counted, fault.events ?? [], { format: call.format, random })
  const shaped = fault.text === undefined ? edited : shapeText(edited, fault.text)
  const answer = fault.encode === undefined ? shaped : encodeBody(shaped, fault.encode)
  return planDelivery({ answer, fault, paceMs: script.answer.pace, random })
}
