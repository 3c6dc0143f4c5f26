import type { ChatRequest, Tool } from '../../../canonical/request.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import {
  createStrictCapacity,
  type FittedTool,
  fitStrictTool,
  type StrictCapacity,
} from '../../claude-models/fit-strict-tool.ts'
import { loseHostedTool } from '../../fields/write-opaque.ts'
import { listOfferedTools } from '../../tools/allowed-tools.ts'
import { withExtras } from '../values/extras.ts'
import { withPoint } from './cache-point.ts'
import type { WriteContext } from './write-context.ts'
import { writeToolChoice } from './write-tool-choice.ts'

type FunctionTool = Extract<Tool, { readonly type: 'function' }>

export interface ToolConfig {
  readonly tools: readonly JsonObject[]
  readonly toolChoice: JsonObject | undefined
}

/** Writes the tools and the tool choice. A conversation with calls is refused if the request offers no tools. */
export function writeTools(request: ChatRequest, context: WriteContext): ToolConfig {
  const { toolChoice, parallelToolCalls } = request
  if (parallelToolCalls !== undefined) context.losses.lose('parallel-tool-calls', 'dropped')
  const called = listCalled(request)
  if (toolChoice?.type === 'none' && called.length === 0) {
    // The format cannot forbid calls, so no tools are offered.
    context.losses.lose('tool-choice', 'approximated')
    return { tools: [], toolChoice: undefined }
  }
  const capacity = createStrictCapacity(request, context.dialect)
  const offered = listOfferedTools(request).flatMap((tool) => writeTool(tool, capacity, context))
  const tools = offered.length === 0 ? called.map((name) => describeCalled(name, context)) : offered
  if (tools.length > 0 && toolChoice !== undefined)
    return { tools, toolChoice: writeToolChoice(toolChoice, request, context) }
  if (toolChoice !== undefined) context.losses.lose('tool-choice', 'dropped')
  return { tools, toolChoice: undefined }
}

/** Names of the tools that were called in the conversation. */
function listCalled({ turns }: ChatRequest): readonly string[] {
  const blocks = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.content : []))
  const names = blocks.flatMap((block) => (block.type === 'tool-call' ? [block.name] : []))
  return [...new Set(names)]
}

function describeCalled(name: string, { losses }: WriteContext): JsonObject {
  losses.lose('foreign-field', 'defaulted', 'toolConfig')
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } }
}

function writeTool(tool: Tool, capacity: StrictCapacity, context: WriteContext): readonly JsonObject[] {
  const { losses } = context
  if (tool.type === 'hosted') {
    if (tool.format === 'converse') return [tool.value]
    loseHostedTool(tool.value, losses)
    return []
  }
  const { schema: json, strict } =
    tool.type === 'function'
      ? writeSchema(tool, capacity, context)
      : { schema: freeText(tool, context), strict: undefined }
  const { name, description = '' } = tool
  if (description !== '' && description.trim() === '')
    losses.lose('foreign-field', 'dropped', 'tools.description')
  const written = {
    name,
    ...(description.trim() === '' ? {} : { description }),
    inputSchema: { json },
    ...(strict === undefined ? {} : { strict }),
  }
  const toolSpec = withExtras(written, tool.extras, { losses, path: 'tools' })
  return withPoint([{ toolSpec }], 'cache' in tool ? tool.cache : undefined, context)
}

/** Writes `strict`. Models that cannot enforce a schema refuse this field. */
function writeStrict(strict: boolean | undefined, context: WriteContext): boolean | undefined {
  if (strict === undefined || context.dialect.jsonSchema) return strict
  context.losses.lose('tool-strict', 'dropped')
  return undefined
}

/** Writes the input schema. The provider requires a schema with the type `object`. */
function writeSchema(tool: FunctionTool, capacity: StrictCapacity, context: WriteContext): FittedTool {
  const { parameters } = tool
  const { dialect, losses } = context
  const strict = writeStrict(tool.strict, context)
  const isTyped = parameters?.['type'] !== undefined
  const schema = isTyped ? parameters : { type: 'object', ...(parameters ?? { properties: {} }) }
  if (!isTyped) losses.lose('foreign-field', 'defaulted', 'tools.inputSchema')
  if (strict !== true || dialect.messagesModel === undefined) return { schema, strict }
  return fitStrictTool(schema, capacity, losses)
}

/** A tool with free-text input becomes a tool with one string property. The format cannot enforce its grammar. */
function freeText(
  { grammar }: Extract<Tool, { readonly type: 'custom' }>,
  context: WriteContext,
): JsonObject {
  context.losses.lose('custom-tool', grammar === undefined ? 'approximated' : 'dropped')
  return {
    type: 'object',
    properties: { [FREE_TEXT_PROPERTY]: { type: 'string' } },
    required: [FREE_TEXT_PROPERTY],
  }
}
