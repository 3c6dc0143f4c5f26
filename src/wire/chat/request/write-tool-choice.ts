import type { ChatRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonValue } from '../../../kit/json/json.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/** Returns the tool choice, or the nearest choice that the server understands. */
export function acceptedChoice(choice: ToolChoice, request: ChatRequest, context: WriteContext): ToolChoice {
  if (choice.type === 'auto' || choice.type === 'none') return choice
  const nearest = nearestChoice(choice, request, context)
  if (nearest !== choice) context.losses.lose('tool-choice', 'approximated')
  return nearest
}

function nearestChoice(
  choice: ToolChoice,
  { reasoning }: ChatRequest,
  { dialect }: WriteContext,
): ToolChoice {
  switch (dialect.toolChoices) {
    case 'all':
      return choice
    case 'words':
      return choice.type === 'allowed' ? { type: choice.mode } : { type: 'required' }
    case 'unforced-thinking':
      return isReasoningOff(reasoning) ? choice : { type: 'auto' }
    case 'auto':
      return { type: 'auto' }
    default:
      return unreachable(dialect.toolChoices)
  }
}

/** Whether a tool of this name is sent. The provider's own tools of another format are not sent. */
export function isOffered(tools: readonly Tool[], name: string): boolean {
  const named = tools.filter((tool) => (tool.type === 'hosted' ? tool.value['name'] : tool.name) === name)
  return named.length === 0 || named.some((tool) => tool.type !== 'hosted' || tool.format === 'chat')
}

export function writeToolChoice(choice: ToolChoice, { dialect }: WriteContext): JsonValue {
  switch (choice.type) {
    case 'required':
      return dialect.forcedToolWord
    case 'tool':
      return { type: choice.kind, [choice.kind]: { name: choice.name } }
    case 'allowed':
      return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: choice.tools } }
    default:
      return choice.type
  }
}
