import type { ChatRequest } from './request.ts'
import type { CallerTools } from './restore-calls.ts'

/** The name of the tool that the model calls to answer, where a forced call enforces a schema. */
const ANSWER_TOOL = 'give_answer'

const answerTool: CallerTools = new Map([[ANSWER_TOOL, { name: ANSWER_TOOL, kind: 'answer' }]])

export interface ForcedAnswer {
  readonly request: ChatRequest
  /** The one tool, under its name. A call of the tool is the answer. */
  readonly callerTools: CallerTools
}

/**
 * Requests JSON by a schema as the input of a forced tool call, for models that follow only the schemas of tools.
 * Undefined where the caller sends tools, which the model may need first, or where the schema is not an object's.
 */
export function forceAnswer(request: ChatRequest): ForcedAnswer | undefined {
  const { outputFormat, tools = [], toolChoice: _none, parallelToolCalls: _one, ...rest } = request
  if (outputFormat?.type !== 'json-schema' || tools.length > 0) return undefined
  const { schema, description } = outputFormat
  if (schema['type'] !== 'object') return undefined
  return {
    request: {
      ...rest,
      tools: [
        {
          type: 'function',
          name: ANSWER_TOOL,
          description: description ?? 'Gives the answer. Call it once, with the whole answer.',
          parameters: schema,
        },
      ],
      toolChoice: { type: 'tool', name: ANSWER_TOOL, kind: 'function' },
    },
    callerTools: answerTool,
  }
}
