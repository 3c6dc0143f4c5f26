import type { ChatRequest } from '../../../canonical/request.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { jsonInstruction } from '../../fields/json-instruction.ts'
import type { WriteContext } from './write-context.ts'

export interface AskedRequest {
  readonly request: ChatRequest
  /** The instruction that replaces the output format of the request. */
  readonly instruction?: string
}

/**
 * Replaces an output format of JSON by an instruction, where the model refuses the two together ("Function calling with
 * a response mime type: 'application/json' is unsupported", Gemini 2.5 and older).
 */
export function askForJson(request: ChatRequest, { dialect, losses }: WriteContext): AskedRequest {
  const { outputFormat, ...others } = request
  const hasTools = (request.tools ?? []).some((tool) => tool.type !== 'hosted' || tool.format === 'gemini')
  const isAccepted = !hasTools || (dialect.geminiModel?.jsonWithTools ?? true)
  if (outputFormat === undefined || outputFormat.type === 'text' || isAccepted) return { request }
  losses.lose('json-output', 'approximated')
  return { request: others, instruction: jsonInstruction(outputFormat) }
}

/** Adds an instruction after the caller's system text. */
export function instruct(conversation: JsonObject, instruction: string | undefined): JsonObject {
  if (instruction === undefined) return conversation
  const { systemInstruction: system } = conversation
  const holder = isJsonObject(system) ? system : {}
  const parts = isJsonArray(holder['parts']) ? holder['parts'] : []
  return { ...conversation, systemInstruction: { ...holder, parts: [...parts, { text: instruction }] } }
}
