import type { LossList } from '../../canonical/loss.ts'
import type { ChatRequest, Tool, ToolChoice, Turn } from '../../canonical/request.ts'
import type { CallerTool, CallerTools } from '../../canonical/restore-calls.ts'
import { isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { fitCallId } from './fit-call-id.ts'

export interface NamedRequest {
  readonly request: ChatRequest
  /** The tools whose names or kinds in answers must differ from those that the channel uses. */
  readonly callerTools: CallerTools
}

/** Returns a name in the characters that the provider accepts. An accepted name stays unchanged. */
export type FitName = (name: string) => string

/**
 * Renames tools to names that the provider accepts, in the list, the choice and the calls. Calls in the answer get the
 * caller's names back, so only the model sees the other names.
 */
export function fitToolNames(
  request: ChatRequest,
  losses: LossList,
  fitName: FitName = fitCallId,
): NamedRequest {
  const callerTools = new Map<string, CallerTool>()
  for (const tool of request.tools ?? []) {
    if (tool.type === 'hosted') continue
    const name = fitName(tool.name)
    if (name !== tool.name || tool.type === 'custom')
      callerTools.set(name, { name: tool.name, kind: tool.type })
  }
  const turns = request.turns.map((turn) => fitTurn(turn, fitName))
  const isRenamed =
    [...callerTools].some(([name, tool]) => name !== tool.name) ||
    turns.some((turn, index) => turn !== request.turns[index])
  if (!isRenamed) return { request, callerTools }
  losses.lose('tool-name', 'approximated')
  return { request: { ...request, turns, ...fitOffer(request, fitName) }, callerTools }
}

function fitOffer({ tools, toolChoice }: ChatRequest, fitName: FitName): Partial<ChatRequest> {
  return {
    ...(tools === undefined ? {} : { tools: tools.map((tool) => fitTool(tool, fitName)) }),
    ...(toolChoice === undefined ? {} : { toolChoice: fitChoice(toolChoice, fitName) }),
  }
}

function fitChoice(choice: ToolChoice, fitName: FitName): ToolChoice {
  if (choice.type === 'tool') return { ...choice, name: fitName(choice.name) }
  return choice.type === 'allowed'
    ? { ...choice, tools: choice.tools.map((entry) => fitAllowed(entry, fitName)) }
    : choice
}

/** An entry holds the name in a member called after the kind of its tool. */
function fitAllowed(entry: JsonValue, fitName: FitName): JsonValue {
  if (!isJsonObject(entry)) return entry
  const kind = entry['type'] === 'custom' ? 'custom' : 'function'
  const holder = entry[kind]
  if (!isJsonObject(holder) || typeof holder['name'] !== 'string') return entry
  return { ...entry, [kind]: { ...holder, name: fitName(holder['name']) } }
}

function fitTool(tool: Tool, fitName: FitName): Tool {
  return tool.type === 'hosted' ? tool : { ...tool, name: fitName(tool.name) }
}

function fitTurn(turn: Turn, fitName: FitName): Turn {
  if (turn.role !== 'assistant') return turn
  const isFit = turn.content.every(
    (block) => block.type !== 'tool-call' || fitName(block.name) === block.name,
  )
  if (isFit) return turn
  const content = turn.content.map((block) =>
    block.type === 'tool-call' ? { ...block, name: fitName(block.name) } : block,
  )
  return { ...turn, content }
}
