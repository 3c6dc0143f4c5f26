import type { ChatRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { demandsCall } from '../../claude/request-context.ts'
import { fitCallId } from '../../fields/fit-call-id.ts'
import { lose } from '../../fields/lose.ts'
import type { WriteContext } from './write-context.ts'

/** Where the choice allows some tools alone, only they are offered. */
export function choosable({ tools = [], toolChoice }: ChatRequest): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools
  const names = new Set(toolChoice.tools.map(readAllowedName).map((name) => fitCallId(name)))
  return tools.filter((tool) => tool.type === 'hosted' || names.has(tool.name))
}

function readAllowedName(entry: JsonValue): string {
  if (!isJsonObject(entry)) return ''
  const holder = entry['function'] ?? entry['custom']
  const name = isJsonObject(holder) ? holder['name'] : entry['name']
  return typeof name === 'string' ? name : ''
}

export function writeToolChoice(
  choice: ToolChoice,
  request: ChatRequest,
  context: WriteContext,
): JsonObject | undefined {
  const { dialect } = context
  if (choice.type === 'allowed') lose(context, 'allowed-tools', 'approximated')
  if (choice.type === 'tool' && choice.kind === 'custom') lose(context, 'custom-tool', 'approximated')
  if (choice.type === 'none') {
    lose(context, 'tool-choice', 'approximated')
    return undefined
  }
  if (choice.type === 'auto') return { auto: {} }
  const mayDemand = dialect.toolChoices !== 'auto' && dialect.messagesModel?.forcedTools !== false
  if (!demandsCall(request)) return { auto: {} }
  if (!mayDemand) {
    lose(context, 'tool-choice', 'approximated')
    return { auto: {} }
  }
  if (choice.type !== 'tool') return { any: {} }
  if (dialect.toolChoices === 'all') return { tool: { name: choice.name } }
  lose(context, 'tool-choice', 'approximated')
  return { any: {} }
}
