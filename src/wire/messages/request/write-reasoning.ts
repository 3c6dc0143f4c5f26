import type { JsonObject } from '../../../kit/json/json.ts'
import { fitCaps } from '../../claude-models/fit-caps.ts'
import { planThinking } from '../../claude-models/plan-thinking.ts'
import { writeThinkingField } from '../../claude-models/write-thinking-field.ts'
import type { WriteContext } from './write-context.ts'

export interface WrittenReasoning {
  readonly maxTokens: number
  /** The fields to add to the body. */
  readonly body: JsonObject
  /** The fields to join with the other parts of `output_config`. */
  readonly outputConfig: JsonObject
  /** Whether the model thinks before it answers. Then fewer sampling settings are allowed. */
  readonly isThinking: boolean
}

/** Writes how much the model should think, and the output cap, which the format requires. */
export function writeReasoning(context: WriteContext): WrittenReasoning {
  const { request, losses } = context
  const { maxTokens, plan } = fitCaps(planThinking(context), context)
  return { maxTokens, isThinking: plan.isThinking, ...writeThinkingField(plan, request.reasoning, losses) }
}
