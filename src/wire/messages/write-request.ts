import { createLossList, type LossList, type Written } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { WriteTarget } from '../wire-format.ts'
import { writeCacheControl } from './write-cache-control.ts'
import { writeExtras } from './write-extras.ts'
import { writeMessages } from './write-messages.ts'
import { writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeSampling } from './write-sampling.ts'
import { writeToolChoice } from './write-tool-choice.ts'
import { writeTools } from './write-tools.ts'

/** The body of `POST /v1/messages` for a channel. */
export function writeRequest(request: ChatRequest, target: WriteTarget): Written<JsonObject> {
  const losses = createLossList()
  const tools = request.tools === undefined ? undefined : writeTools(request.tools, losses)
  const hasTools = tools !== undefined && tools.length > 0
  const reasoning = writeReasoning(request.reasoning, losses)
  const outputConfig = { ...reasoning.outputConfig, ...writeOutputFormat(request.outputFormat, losses) }
  const written = {
    model: target.model,
    max_tokens: writeMaxTokens(request, target, losses),
    ...writeMessages(request.turns, losses),
    ...(request.stream ? { stream: true } : {}),
    ...(hasTools ? { tools } : {}),
    ...writeToolChoice(request, hasTools, losses),
    ...writeSampling(request, losses),
    ...reasoning.body,
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...(request.endUser === undefined ? {} : { metadata: { user_id: request.endUser } }),
    ...writeCacheControl(request.cache),
  }
  const value = writeExtras(written, request.extras, { losses, place: '' })
  return { value, losses: losses.all }
}

/** The format demands a cap, and one above the thinking budget (docs/build-with-claude/extended-thinking). */
function writeMaxTokens(request: ChatRequest, { dialect }: WriteTarget, losses: LossList): number {
  if (request.maxOutputTokens !== undefined) return request.maxOutputTokens
  losses.add({ feature: 'max-output-tokens', kind: 'defaulted' })
  return dialect.defaultMaxTokens + (request.reasoning?.budgetTokens ?? 0)
}
