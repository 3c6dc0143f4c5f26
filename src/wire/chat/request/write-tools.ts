import type { ChatRequest, Tool } from '../../../canonical/request.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseHostedTool } from '../../fields/write-opaque.ts'
import { listOfferedTools } from '../../tools/allowed-tools.ts'
import { completeParameters, describeNoParameters } from '../../tools/complete-parameters.ts'
import { withExtras } from '../values/extras.ts'
import { cacheMarkField, type WriteContext } from './write-context.ts'
import { acceptedChoice, isOffered, writeToolChoice } from './write-tool-choice.ts'

/**
 * Writes the tools, the tool choice and the parallel switch. Without tools, the choice and the switch are left out,
 * since servers then reject them. An empty list of tools is left out as well.
 */
export function writeTools(original: ChatRequest, context: WriteContext): JsonObject {
  const request = offerAllowed(original, context)
  const tools = writeOffered(request, context)
  const { toolChoice, parallelToolCalls } = request
  const hasTools = tools.length > 0
  const isNamed = toolChoice?.type !== 'tool' || isOffered(request.tools ?? [], toolChoice.name)
  const sendsChoice = toolChoice !== undefined && hasTools && isNamed
  const sendsParallel = hasTools && context.dialect.acceptsParallelToolCalls
  if (toolChoice !== undefined && !sendsChoice) context.losses.lose('tool-choice', 'dropped')
  if (parallelToolCalls !== undefined && !sendsParallel) context.losses.lose('parallel-tool-calls', 'dropped')
  return omitUndefined({
    tools: hasTools ? tools : undefined,
    tool_choice: sendsChoice
      ? writeToolChoice(acceptedChoice(toolChoice, request, context), context)
      : undefined,
    parallel_tool_calls: sendsParallel ? parallelToolCalls : undefined,
  })
}

/** Offers only the allowed tools, for servers that know no list of them in the tool choice. */
function offerAllowed(request: ChatRequest, { dialect, losses }: WriteContext): ChatRequest {
  const { toolChoice: choice } = request
  if (choice?.type !== 'allowed' || dialect.allowedTools) return request
  losses.lose('allowed-tools', 'approximated')
  const tools = listOfferedTools(request)
  const isNone = !tools.some(({ type }) => type !== 'hosted')
  return isNone
    ? { ...request, toolChoice: { type: 'none' } }
    : { ...request, tools, toolChoice: { type: choice.mode } }
}

/**
 * Returns the tools to send. Where the server understands only the choice `auto`, calls are forbidden by offering no
 * tools.
 */
function writeOffered({ tools = [], toolChoice }: ChatRequest, context: WriteContext): readonly JsonObject[] {
  const { dialect, losses } = context
  if (!dialect.tools) {
    if (tools.length > 0) losses.lose('foreign-field', 'dropped', 'tools')
    return []
  }
  if (dialect.toolChoices === 'auto' && toolChoice?.type === 'none') return []
  return tools.map((tool) => writeTool(tool, context)).filter((tool) => tool !== undefined)
}

function writeTool(tool: Tool, context: WriteContext): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunctionTool(tool, context)
    case 'custom': {
      const { name, description, grammar: format } = tool
      const written = { type: 'custom', custom: omitUndefined({ name, description, format }) }
      return withExtras(written, tool.extras, { losses: context.losses, path: 'tools' })
    }
    case 'hosted':
      return tool.format === 'chat' ? tool.value : loseHostedTool(tool.value, context.losses)
    default:
      return unreachable(tool)
  }
}

function writeFunctionTool(
  tool: Extract<Tool, { readonly type: 'function' }>,
  context: WriteContext,
): JsonObject {
  const { name, description, parameters } = tool
  const strict = context.dialect.toolStrict ? tool.strict : undefined
  if (tool.strict === true && strict === undefined) context.losses.lose('tool-strict', 'dropped')
  const written = {
    type: 'function',
    function: omitUndefined({
      name,
      description,
      parameters: writeParameters(parameters, context),
      strict,
    }),
    ...cacheMarkField(tool.cache, context),
  }
  return withExtras(written, tool.extras, { losses: context.losses, path: 'tools' })
}

function writeParameters(
  parameters: JsonObject | undefined,
  { dialect, losses }: WriteContext,
): JsonObject | undefined {
  if (parameters !== undefined) return completeParameters(parameters, losses)
  return dialect.toolParameters ? describeNoParameters(losses) : undefined
}
