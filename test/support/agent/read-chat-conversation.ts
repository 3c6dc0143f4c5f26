import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'
import { type ChatMessage, type ChatRequestBody, chatRequestSchema } from './chat-request-schema.ts'
import { checkOutputSchema } from './check-output-schema.ts'
import { checkSchema } from './check-schema.ts'
import { type AgentCall, type Conversation, Refusal, type Round, type ToolResult } from './conversation.ts'

/** Reads a chat-completions request as strictly as the service itself. Throws `Refusal`. */
export function readChatConversation(value: unknown): Conversation {
  const body = checkSchema(chatRequestSchema, value)
  return {
    model: body.model,
    isStream: body.stream === true,
    wantsStreamUsage: body.stream_options?.include_usage === true,
    wantsThinking: false,
    outputSchema: readOutputSchema(body.response_format),
    tools: (body.tools ?? []).map(({ function: { name, parameters } }) => ({
      name,
      schema: parameters ?? {},
    })),
    rounds: readRounds(body.messages),
  }
}

function readOutputSchema(format: ChatRequestBody['response_format']): JsonObject | undefined {
  if (format?.type !== 'json_schema') return undefined
  const { schema = {}, strict } = format.json_schema
  if (strict === true) checkOutputSchema(schema, { areAllRequired: true })
  return schema
}

function readRounds(messages: readonly ChatMessage[]): readonly Round[] {
  const rounds: Round[] = []
  let open: { readonly calls: readonly AgentCall[]; readonly results: ToolResult[] } | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open === undefined) {
        throw new Refusal(
          `messages.[${index}]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'`,
        )
      }
      open.results.push({ callId: message.tool_call_id, text: textOf(message.content) })
      continue
    }
    checkCovered(open)
    open = undefined
    if (message.role !== 'assistant' || message.tool_calls === undefined) continue
    open = { calls: message.tool_calls.map(readCall), results: [] }
    rounds.push(open)
  }
  checkCovered(open)
  return rounds
}

function readCall({ id, function: call }: ToolCall): AgentCall {
  const input: unknown = JSON.parse(call.arguments)
  return { id, name: call.name, input: isJsonObject(input) ? input : {} }
}

type ToolCall = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['tool_calls']>[number]

function checkCovered(round: Round | undefined): void {
  if (round === undefined) return
  const wanted = round.calls.map(({ id }) => id).sort()
  const given = round.results.map(({ callId }) => callId).sort()
  if (wanted.join() === given.join()) return
  throw new Refusal(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Called: ${wanted}. Answered: ${given}.`,
  )
}

function textOf(content: string | readonly { readonly text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}
