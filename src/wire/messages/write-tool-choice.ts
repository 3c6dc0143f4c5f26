import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest, ToolChoice } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'

/** The `tool_choice` field, to be spread into the body. `hasTools`: the provider refuses a choice among none. */
export function writeToolChoice(request: ChatRequest, hasTools: boolean, losses: LossList): JsonObject {
  const { toolChoice, parallelToolCalls } = request
  if (!hasTools) {
    if (toolChoice !== undefined) losses.add({ feature: 'tool-choice', kind: 'dropped' })
    if (parallelToolCalls !== undefined) losses.add({ feature: 'parallel-tool-calls', kind: 'dropped' })
    return {}
  }
  if (toolChoice === undefined && parallelToolCalls === undefined) return {}
  if (toolChoice === undefined) losses.add({ feature: 'tool-choice', kind: 'defaulted' })
  const choice = writeChoice(toolChoice ?? { type: 'auto' }, losses)
  if (parallelToolCalls === undefined) return { tool_choice: choice }
  if (choice['type'] === 'none') {
    losses.add({ feature: 'parallel-tool-calls', kind: 'dropped' })
    return { tool_choice: choice }
  }
  return { tool_choice: { ...choice, disable_parallel_tool_use: !parallelToolCalls } }
}

function writeChoice(choice: ToolChoice, losses: LossList): JsonObject {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { type: choice.type }
    case 'required':
      return { type: 'any' }
    case 'tool':
      if (choice.kind === 'custom') losses.add({ feature: 'custom-tool', kind: 'approximated' })
      return { type: 'tool', name: choice.name }
    case 'allowed':
      losses.add({ feature: 'allowed-tools', kind: 'dropped' })
      return { type: choice.mode === 'auto' ? 'auto' : 'any' }
  }
}
