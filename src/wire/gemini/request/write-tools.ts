import type { LossList } from '../../../canonical/loss.ts'
import type { ChatRequest, Tool } from '../../../canonical/request.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseHostedTool } from '../../fields/write-opaque.ts'
import { allowsNoFunction } from '../../tools/allowed-tools.ts'
import { withExtras } from '../values/extras.ts'
import { writeToolChoice } from './write-tool-choice.ts'

/** Writes tools and the tool choice. Without tools, the choice and the parallel switch are left out and declared. */
export function writeTools(request: ChatRequest, losses: LossList): JsonObject {
  const { tools = [], toolChoice, parallelToolCalls } = request
  const written = groupFunctions(tools, losses)
  if (parallelToolCalls === false) losses.lose('parallel-tool-calls', 'dropped')
  if (written.length > 0) {
    if (toolChoice === undefined) return { tools: written }
    // The service reads an empty list of allowed names as all names.
    const isNone = allowsNoFunction(toolChoice)
    if (isNone) losses.lose('tool-choice', 'dropped')
    const config = writeToolChoice(isNone ? { type: 'none' } : toolChoice)
    return { tools: written, toolConfig: { functionCallingConfig: config } }
  }
  if (toolChoice !== undefined) losses.lose('tool-choice', 'dropped')
  return {}
}

/** Consecutive functions share one entry. */
function groupFunctions(tools: readonly Tool[], losses: LossList): readonly JsonObject[] {
  const entries: JsonObject[] = []
  let functions: JsonObject[] = []
  for (const tool of tools) {
    if (tool.type !== 'hosted') {
      functions.push(tool.type === 'function' ? writeFunction(tool, losses) : writeCustom(tool, losses))
      continue
    }
    const hosted = writeHosted(tool, losses)
    if (hosted === undefined) continue
    if (functions.length > 0) entries.push({ functionDeclarations: functions })
    functions = []
    entries.push(hosted)
  }
  return functions.length === 0 ? entries : [...entries, { functionDeclarations: functions }]
}

function writeFunction(tool: Extract<Tool, { readonly type: 'function' }>, losses: LossList): JsonObject {
  const { name, description, parameters, strict, cache, extras } = tool
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  if (strict === true) losses.lose('tool-strict', 'dropped')
  const written = omitUndefined({ name, description, parametersJsonSchema: parameters })
  return withExtras(written, extras, { losses, path: 'tools' })
}

/** A tool with free-text input becomes a function with one string property. The format cannot enforce its grammar. */
function writeCustom(tool: Extract<Tool, { readonly type: 'custom' }>, losses: LossList): JsonObject {
  const { name, description, grammar, extras } = tool
  losses.lose('custom-tool', 'approximated')
  if (grammar !== undefined) {
    losses.lose('custom-tool', 'dropped', 'tools.custom.format')
  }
  const parametersJsonSchema = {
    type: 'object',
    properties: { [FREE_TEXT_PROPERTY]: { type: 'string' } },
    required: [FREE_TEXT_PROPERTY],
  }
  const written = omitUndefined({ name, description, parametersJsonSchema })
  return withExtras(written, extras, { losses, path: 'tools' })
}

function writeHosted(
  { format, value }: Extract<Tool, { readonly type: 'hosted' }>,
  losses: LossList,
): JsonObject | undefined {
  return format === 'gemini' ? value : loseHostedTool(value, losses)
}
