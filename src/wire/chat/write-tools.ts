import type { ChatRequest, Tool, ToolChoice } from '../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { unreachable } from '../../kit/unreachable.ts'
import { lose, markField, type WriteContext } from './write-context.ts'
import { withExtras } from './write-extras.ts'

/**
 * Tools and what goes with them. Without tools the choice and the parallel switch are left out, since servers refuse
 * them then; so is an empty list.
 */
export function writeToolFields(request: ChatRequest, context: WriteContext): JsonObject {
  const tools = (request.tools ?? [])
    .map((tool) => writeTool(tool, context))
    .filter((tool) => tool !== undefined)
  const { toolChoice, parallelToolCalls } = request
  const hasTools = tools.length > 0
  const isNamed = toolChoice?.type !== 'tool' || isOffered(request.tools ?? [], toolChoice.name)
  const sendsChoice = toolChoice !== undefined && hasTools && isNamed
  const sendsParallel = hasTools && context.dialect.parallelToolCalls
  if (toolChoice !== undefined && !sendsChoice) lose(context, 'tool-choice', 'dropped')
  if (parallelToolCalls !== undefined && !sendsParallel) lose(context, 'parallel-tool-calls', 'dropped')
  return omitUndefined({
    tools: hasTools ? tools : undefined,
    tool_choice: sendsChoice ? writeToolChoice(toolChoice) : undefined,
    parallel_tool_calls: sendsParallel ? parallelToolCalls : undefined,
  })
}

/** Whether a tool of this name is sent; the provider's own tools of another format are not. */
function isOffered(tools: readonly Tool[], name: string): boolean {
  const named = tools.filter((tool) => (tool.type === 'hosted' ? tool.value['name'] : tool.name) === name)
  return named.length === 0 || named.some((tool) => tool.type !== 'hosted' || tool.format === 'chat')
}

function writeTool(tool: Tool, context: WriteContext): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunctionTool(tool, context)
    case 'custom': {
      const { name, description, grammar: format } = tool
      const written = { type: 'custom', custom: omitUndefined({ name, description, format }) }
      return withExtras(written, tool.extras, { losses: context.losses, place: 'tools' })
    }
    case 'hosted': {
      if (tool.format === 'chat') return tool.value
      const type = tool.value['type']
      const field = typeof type === 'string' ? type : 'unknown'
      context.losses.add({ feature: 'foreign-tool', kind: 'dropped', field })
      return undefined
    }
    default:
      return unreachable(tool)
  }
}

function writeFunctionTool(
  tool: Extract<Tool, { readonly type: 'function' }>,
  context: WriteContext,
): JsonObject {
  const { name, description, parameters, strict } = tool
  const written = {
    type: 'function',
    function: omitUndefined({ name, description, parameters, strict }),
    ...markField(tool.cache, context),
  }
  return withExtras(written, tool.extras, { losses: context.losses, place: 'tools' })
}

function writeToolChoice(choice: ToolChoice): JsonValue {
  switch (choice.type) {
    case 'tool':
      return { type: choice.kind, [choice.kind]: { name: choice.name } }
    case 'allowed':
      return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: choice.tools } }
    default:
      return choice.type
  }
}
