import type { LossList } from '../../canonical/loss.ts'
import type { Tool } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'
import { writeCacheControl } from './write-cache-control.ts'
import { writeEach } from './write-each.ts'
import { writeExtras } from './write-extras.ts'
import { FREE_TEXT_PROPERTY } from './write-tool-input.ts'

type FunctionTool = Extract<Tool, { readonly type: 'function' }>
type CustomTool = Extract<Tool, { readonly type: 'custom' }>

export function writeTools(tools: readonly Tool[], losses: LossList): readonly JsonObject[] {
  return writeEach(tools, (tool) => writeTool(tool, losses))
}

function writeTool(tool: Tool, losses: LossList): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunction(tool, losses)
    case 'custom':
      return writeCustom(tool, losses)
    case 'hosted': {
      if (tool.format === 'messages') return tool.value
      const type = tool.value['type']
      losses.add({
        feature: 'foreign-tool',
        kind: 'dropped',
        ...(typeof type === 'string' ? { field: type } : {}),
      })
      return undefined
    }
  }
}

function writeFunction(tool: FunctionTool, losses: LossList): JsonObject {
  const written = {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: writeSchema(tool.parameters, losses),
    ...(tool.strict === undefined ? {} : { strict: tool.strict }),
    ...writeCacheControl(tool.cache),
  }
  return writeExtras(written, tool.extras, { losses, place: 'tools' })
}

/** The provider demands a schema, and in it the type `object`. */
function writeSchema(parameters: JsonObject | undefined, losses: LossList): JsonObject {
  if (parameters?.['type'] !== undefined) return parameters
  losses.add({ feature: 'foreign-field', kind: 'defaulted', field: 'tools.input_schema' })
  return { type: 'object', ...(parameters ?? { properties: {} }) }
}

/** A tool that takes free text becomes one with a single property of text; its grammar cannot be demanded. */
function writeCustom(tool: CustomTool, losses: LossList): JsonObject {
  losses.add({ feature: 'custom-tool', kind: 'approximated' })
  if (tool.grammar !== undefined) {
    losses.add({ feature: 'custom-tool', kind: 'dropped', field: 'tools.custom.format' })
  }
  const written = {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: {
      type: 'object',
      properties: { [FREE_TEXT_PROPERTY]: { type: 'string' } },
      required: [FREE_TEXT_PROPERTY],
    },
  }
  return writeExtras(written, tool.extras, { losses, place: 'tools' })
}
