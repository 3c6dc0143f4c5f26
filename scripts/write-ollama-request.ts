import type { AssistantBlock, Block, ToolResultBlock } from '../src/canonical/content.ts'
import type { ChatRequest, OutputFormat, Reasoning, Tool, Turn } from '../src/canonical/request.ts'
import type { JsonObject, JsonValue } from '../src/kit/json/json.ts'
import { omitUndefined } from '../src/kit/json/omit-undefined.ts'
import { tryParseJson } from '../src/kit/json/try-parse-json.ts'

/** The request as a client of Ollama says it; what it has no words for is left out. */
export function writeOllamaRequest(request: ChatRequest): JsonObject {
  const { maxOutputTokens, stopSequences, seed } = request
  return omitUndefined({
    model: request.model,
    messages: request.turns.flatMap(writeTurn),
    stream: request.stream,
    tools: request.tools?.flatMap(writeTool),
    format: writeFormat(request.outputFormat),
    think: writeThink(request.reasoning),
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    // Fields that only a program has that runs a model come with a seed here.
    keep_alive: seed === undefined ? undefined : '5m',
    options: omitUndefined({
      num_predict: maxOutputTokens,
      temperature: request.temperature,
      top_p: request.topP,
      top_k: request.topK,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
      seed,
      num_ctx: seed === undefined ? undefined : 8_192,
      stop: stopSequences === undefined ? undefined : [...stopSequences],
    }),
  })
}

function writeTurn(turn: Turn): readonly JsonObject[] {
  if (turn.role === 'tool') return turn.results.map(writeResult)
  const { role, content } = turn
  const message = { role, content: textOf(content), ...imagesOf(content) }
  return role === 'assistant' ? [{ ...message, ...writeCalls(content) }] : [message]
}

function writeResult({ callId, content }: ToolResultBlock): JsonObject {
  return { role: 'tool', tool_call_id: callId, content: textOf(content), ...imagesOf(content) }
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

function imagesOf(blocks: readonly Block[]): JsonObject {
  const images = blocks.flatMap((block) =>
    block.type === 'image' && block.source.type === 'base64'
      ? [`data:${block.source.mediaType};base64,${block.source.data}`]
      : [],
  )
  return images.length === 0 ? {} : { images }
}

function writeCalls(blocks: readonly AssistantBlock[]): JsonObject {
  const thinking = blocks.map((block) => (block.type === 'thinking' ? block.text : '')).join('')
  const calls = blocks.flatMap((block) =>
    block.type === 'tool-call' && block.kind === 'function'
      ? [{ id: block.id, function: { name: block.name, arguments: tryParseJson(block.input) ?? {} } }]
      : [],
  )
  return {
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function writeTool(tool: Tool): readonly JsonObject[] {
  if (tool.type !== 'function') return []
  const { name, description, parameters } = tool
  return [{ type: 'function', function: omitUndefined({ name, description, parameters }) }]
}

function writeFormat(format: OutputFormat | undefined): JsonValue | undefined {
  if (format?.type === 'json') return 'json'
  return format?.type === 'json-schema' ? format.schema : undefined
}

function writeThink(reasoning: Reasoning | undefined): JsonValue | undefined {
  if (reasoning?.effort !== undefined) return reasoning.effort
  if (reasoning?.mode === undefined) return undefined
  return reasoning.mode !== 'off'
}
