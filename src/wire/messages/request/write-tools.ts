import type { LossList } from '../../../canonical/loss.ts'
import type { Tool } from '../../../canonical/request.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import {
  createStrictCapacity,
  fitStrictTool,
  type StrictCapacity,
} from '../../claude-models/fit-strict-tool.ts'
import type { Dialect } from '../../dialect.ts'
import { loseHostedTool } from '../../fields/write-opaque.ts'
import { listOfferedTools } from '../../tools/allowed-tools.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import type { WriteContext } from './write-context.ts'
import { writeEach } from './write-each.ts'

type FunctionTool = Extract<Tool, { readonly type: 'function' }>
type CustomTool = Extract<Tool, { readonly type: 'custom' }>

export function writeTools(context: WriteContext): readonly JsonObject[] {
  const { request, dialect, losses } = context
  const capacity = createStrictCapacity(request, dialect)
  return writeEach(listOfferedTools(request), (tool) =>
    tool.type === 'function' ? writeFunction(tool, capacity, context) : writeTool(tool, losses),
  )
}

function writeTool(
  tool: Exclude<Tool, { readonly type: 'function' }>,
  losses: LossList,
): JsonObject | undefined {
  switch (tool.type) {
    case 'custom':
      return writeCustom(tool, losses)
    case 'hosted':
      return tool.format === 'messages' ? tool.value : loseHostedTool(tool.value, losses)
  }
}

function writeFunction(tool: FunctionTool, capacity: StrictCapacity, context: WriteContext): JsonObject {
  const { dialect, losses } = context
  const requestedStrict = writeStrict(tool.strict, dialect, losses)
  const given = writeSchema(tool.parameters, losses)
  const isHeld = requestedStrict === true && dialect.messagesModel !== undefined
  const { schema, strict } = isHeld
    ? fitStrictTool(given, capacity, losses)
    : { schema: given, strict: requestedStrict }
  const written = {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: schema,
    ...(strict === undefined ? {} : { strict }),
    ...writeCacheControl(tool.cache),
  }
  return withExtras(written, tool.extras, { losses, path: 'tools' })
}

/** Writes `strict`. Models that cannot enforce a schema refuse this field. */
function writeStrict(
  strict: boolean | undefined,
  { messagesModel, jsonSchema }: Dialect,
  losses: LossList,
): boolean | undefined {
  if (messagesModel === undefined || jsonSchema) return strict
  if (strict === true) losses.lose('tool-strict', 'dropped')
  return undefined
}

/** Writes the input schema. The provider requires a schema with the type `object`. */
function writeSchema(parameters: JsonObject | undefined, losses: LossList): JsonObject {
  if (parameters?.['type'] !== undefined) return parameters
  losses.lose('foreign-field', 'defaulted', 'tools.input_schema')
  return { type: 'object', ...(parameters ?? { properties: {} }) }
}

/** A tool with free-text input becomes a tool with one string property. The format cannot enforce its grammar. */
function writeCustom(tool: CustomTool, losses: LossList): JsonObject {
  losses.lose('custom-tool', 'approximated')
  if (tool.grammar !== undefined) {
    losses.lose('custom-tool', 'dropped', 'tools.custom.format')
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
  return withExtras(written, tool.extras, { losses, path: 'tools' })
}
