import type { JsonObject } from '../../../kit/json/json.ts'
import { fitCaps } from '../../claude-models/fit-caps.ts'
import { planThinking } from '../../claude-models/plan-thinking.ts'
import { writeThinkingField } from '../../claude-models/write-thinking-field.ts'
import type { WriteContext } from './write-context.ts'

export interface WrittenReasoning {
  readonly maxTokens: number
  /** Fields of the body. */
  readonly body: JsonObject
  /** The fields to join with the other parts of `output_config`. */
  readonly outputConfig: JsonObject
  /** Whether the answer is thought about, which leaves less choice of sampling. */
  readonly isThinking: boolean
}

/** Writes how much the model shall think, and the output cap, which the format demands. */
export function writeReasoning(context: WriteContext): WrittenReasoning {
  const { request, losses } = context
  const { maxTokens, plan } = fitCaps(planThinking(context), context)
  return { maxTokens, isThinking: plan.isThinking, ...writeThinkingField(plan, request.reasoning, losses) }
}
