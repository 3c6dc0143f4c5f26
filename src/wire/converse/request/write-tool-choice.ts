import type { ChatRequest, ToolChoice } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { demandsCall } from '../../claude-models/request-context.ts'
import type { WriteContext } from './write-context.ts'

export function writeToolChoice(
  choice: ToolChoice,
  request: ChatRequest,
  context: WriteContext,
): JsonObject | undefined {
  const { dialect } = context
  if (choice.type === 'allowed') context.losses.lose('allowed-tools', 'approximated')
  if (choice.type === 'tool' && choice.kind === 'custom') context.losses.lose('custom-tool', 'approximated')
  if (choice.type === 'none') {
    context.losses.lose('tool-choice', 'approximated')
    return undefined
  }
  if (choice.type === 'auto') return { auto: {} }
  const mayDemand = dialect.toolChoices !== 'auto' && dialect.messagesModel?.forcedTools !== false
  if (!demandsCall(request)) return { auto: {} }
  if (!mayDemand) {
    context.losses.lose('tool-choice', 'approximated')
    return { auto: {} }
  }
  if (choice.type !== 'tool') return { any: {} }
  if (dialect.toolChoices === 'all') return { tool: { name: choice.name } }
  context.losses.lose('tool-choice', 'approximated')
  return { any: {} }
}
