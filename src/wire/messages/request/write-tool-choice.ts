import type { LossList } from '../../../canonical/loss.ts'
import type { ToolChoice } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { demandsCall } from '../../claude-models/request-context.ts'
import type { WriteContext } from './write-context.ts'

/** The `tool_choice` field, to be spread into the body. Without tools (`hasTools`), the provider refuses a choice. */
export function writeToolChoice(context: WriteContext, hasTools: boolean): JsonObject {
  const { request, losses } = context
  const { toolChoice, parallelToolCalls } = request
  if (!hasTools) {
    if (toolChoice !== undefined) losses.lose('tool-choice', 'dropped')
    if (parallelToolCalls !== undefined) losses.lose('parallel-tool-calls', 'dropped')
    return {}
  }
  if (toolChoice === undefined && parallelToolCalls === undefined) return {}
  if (toolChoice === undefined) losses.lose('tool-choice', 'defaulted')
  const written = writeChoice(toolChoice ?? { type: 'auto' }, losses)
  const choice = demandsCall(request) ? softenDemand(written, context) : written
  if (parallelToolCalls === undefined) return { tool_choice: choice }
  if (choice['type'] === 'none') {
    losses.lose('parallel-tool-calls', 'dropped')
    return { tool_choice: choice }
  }
  return { tool_choice: { ...choice, disable_parallel_tool_use: !parallelToolCalls } }
}

/** Replaces a forced tool call by `auto` for models that refuse to be forced. */
function softenDemand(choice: JsonObject, { dialect, losses }: WriteContext): JsonObject {
  if (dialect.messagesModel?.forcedTools !== false) return choice
  losses.lose('tool-choice', 'approximated')
  return { type: 'auto' }
}

function writeChoice(choice: ToolChoice, losses: LossList): JsonObject {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { type: choice.type }
    case 'required':
      return { type: 'any' }
    case 'tool':
      if (choice.kind === 'custom') losses.lose('custom-tool', 'approximated')
      return { type: 'tool', name: choice.name }
    case 'allowed':
      losses.lose('allowed-tools', 'approximated')
      return { type: choice.mode === 'auto' ? 'auto' : 'any' }
  }
}
