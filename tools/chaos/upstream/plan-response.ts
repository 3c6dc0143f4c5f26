import { createSeededRandom } from '../../../src/kit/random/seeded-random.ts'
import { editEvents } from '../answer/edit-events.ts'
import { editUsage } from '../answer/edit-usage.ts'
import { encodeBody } from '../answer/encode-body.ts'
import { planAnswer } from '../answer/plan-answer.ts'
import { shapeText } from '../answer/shape-text.ts'
import type { DeliveryStep } from '../delivery/delivery.ts'
import { planDelivery } from '../delivery/plan-delivery.ts'
import type { FaultCall } from '../script/fault-call.ts'
import type { Fault } from '../script/fault-schema.ts'
import { type CallTurn, isMatch } from '../script/match-rule.ts'
import type { UpstreamScript } from '../script/script-schema.ts'

export interface ResponsePlan {
  readonly script: UpstreamScript
  readonly seed: number
  readonly call: FaultCall
  readonly turn: CallTurn
  /** A time by the wall clock. */
  readonly nowMs: number
}

export interface ChosenRule {
  /** The index of the rule; undefined if none matches. */
  readonly index: number | undefined
  readonly fault: Fault
}

const noFault: Fault = {}

/** The first rule that matches. The random numbers depend only on the seed, the number of the request and the rule. */
export function chooseRule({ script, seed, call, turn }: ResponsePlan): ChosenRule {
  const index = script.rules.findIndex(({ when }, at) =>
    isMatch(when, call, { turn, random: createSeededRandom(seed, turn.attempt, at) }),
  )
  const rule = script.rules[index]
  return rule === undefined ? { index: undefined, fault: noFault } : { index, fault: rule.do }
}

/** Plans all that is sent in answer to a request, and when. */
export function planResponse(plan: ResponsePlan, fault: Fault): readonly DeliveryStep[] {
  const { script, seed, call, turn, nowMs } = plan
  // A sequence of its own, apart from those that choose the rules.
  const random = createSeededRandom(seed, turn.attempt, script.rules.length + 1)
  const planned = planAnswer({
    call,
    script: script.answer,
    id: `fault-${turn.attempt}`,
    createdAtSeconds: Math.floor(nowMs / 1000),
    isWide: fault.text?.wide_characters === true,
    reply: fault.reply,
    nowMs,
  })
  const counted = fault.usage === undefined ? planned : editUsage(planned, fault.usage)
  const edited = editEvents(counted, fault.events ?? [], { format: call.format, random })
  const shaped = fault.text === undefined ? edited : shapeText(edited, fault.text)
  const answer = fault.encode === undefined ? shaped : encodeBody(shaped, fault.encode)
  return planDelivery({ answer, fault, paceMs: script.answer.pace, random })
}
