import type { ChatRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/** Returns the tool choice, or the nearest choice that the server understands. */
export function acceptedChoice(choice: ToolChoice, request: ChatRequest, context: WriteContext): ToolChoice {
  if (choice.type === 'auto' || choice.type === 'none') return choice
  const nearest = nearestChoice(withoutForeign(choice, request.tools), request, context)
  if (nearest !== choice) context.losses.lose('tool-choice', 'approximated')
  return nearest
}

/** Removes allowed tools that are not sent, since the server refuses their types. */
function withoutForeign(choice: ToolChoice, tools: readonly Tool[] = []): ToolChoice {
  if (choice.type !== 'allowed') return choice
  const hosted = tools.filter((tool) => tool.type === 'hosted')
  const foreign = new Set(hosted.filter(({ format }) => format !== 'chat').map(({ value }) => value['type']))
  const sent = choice.tools.filter((entry) => !isJsonObject(entry) || !foreign.has(entry['type']))
  if (sent.length === choice.tools.length) return choice
  return sent.length === 0 ? { type: 'none' } : { ...choice, tools: sent }
}

function nearestChoice(
  choice: ToolChoice,
  { reasoning }: ChatRequest,
  { dialect }: WriteContext,
): ToolChoice {
  if (choice.type === 'none') return choice
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
