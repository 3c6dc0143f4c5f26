import { fieldsOf, listOf } from '../judged.ts'
import { checkOutputSchema } from './check-output-schema.ts'
import { checkSchema } from './check-schema.ts'
import { type Conversation, Refusal, type Round } from './conversation.ts'
import {
  type MessagesBlock,
  type MessagesMessage,
  type MessagesRequestBody,
  messagesRequestSchema,
} from './messages-request-schema.ts'
import { isOwnThought } from './write-messages-answer.ts'

const MAX_CACHE_MARKS = 4

/** Fields that the service knows only together with a beta name in the request's header. */
const betaOfField: Readonly<Record<string, string>> = { context_management: 'context-management-' }

/** Reads a request of the messages format as strictly as the service itself. Throws `Refusal`. */
export function readMessagesConversation(
  value: unknown,
  betas: string,
  isOwn: typeof isOwnThought = isOwnThought,
): Conversation {
  for (const [field, beta] of Object.entries(betaOfField)) {
    if (fieldsOf(value)[field] !== undefined && !betas.includes(beta)) {
      throw new Refusal(`${field}: Extra inputs are not permitted`)
    }
  }
  refuseThread(value)
  const body = checkSchema(messagesRequestSchema, value)
  const marks = countMarks(value)
  if (marks > MAX_CACHE_MARKS) {
    throw new Refusal(
      `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
    )
  }
  const mode = body.thinking
  refuseLargeBudget(body, betas)
  const outputSchema = body.output_config?.format?.schema
  if (outputSchema !== undefined) checkOutputSchema(outputSchema, { areAllRequired: false })
  return {
    model: body.model,
    isStream: body.stream === true,
    wantsStreamUsage: true,
    wantsThinking: mode !== undefined && mode.type !== 'disabled',
    outputSchema,
    tools: (body.tools ?? []).map(({ name, input_schema: schema }) => ({ name, schema })),
    rounds: readRounds(mergeTurns(body.messages), isOwn),
  }
}

/** A budget must leave room for the answer, unless thoughts may stand between calls of tools. */
function refuseLargeBudget({ thinking, max_tokens: limit, tools }: MessagesRequestBody, betas: string): void {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < limit) return
  if (betas.includes('interleaved-thinking-') && tools !== undefined) return
  throw new Refusal('`max_tokens` must be greater than `thinking.budget_tokens`')
}

/** This service holds no conversations, and says so in the way from which the official client goes on without them. */
function refuseThread(value: unknown): void {
  if (fieldsOf(value)['thread'] === undefined) return
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  throw new Refusal('thread: conversations are not held here', { details })
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: MessagesBlock[]
}

/** Neighbours of one role are one turn. System text between turns belongs to none. */
function mergeTurns(messages: readonly MessagesMessage[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const { role, content } = message
    const blocks: MessagesBlock[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : [...content]
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks })
  }
  if (turns[0]?.role !== 'user') throw new Refusal('messages: first message must use the "user" role')
  return turns
}

function readRounds(turns: readonly Turn[], isOwn: typeof isOwnThought): readonly Round[] {
  const rounds: Round[] = []
  for (const [index, turn] of turns.entries()) {
    for (const block of turn.blocks) checkThought(block, isOwn)
    const before = turns[index - 1]
    const calls = before?.blocks.filter((block) => block.type === 'tool_use') ?? []
    const results = turn.blocks.filter((block) => block.type === 'tool_result')
    checkCovered(calls, results, index)
    if (calls.length === 0) continue
    rounds.push({
      calls: calls.map(({ id, name, input }) => ({ id, name, input })),
      results: results.map(({ tool_use_id: callId, content }) => ({ callId, text: textOf(content) })),
    })
  }
  const open = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_use')
  if (open === true) throw new Refusal('messages: the last turn calls tools without their results')
  return rounds
}

function checkCovered(
  calls: readonly { readonly id: string }[],
  results: readonly { readonly tool_use_id: string }[],
  index: number,
): void {
  const wanted = calls.map(({ id }) => id).sort()
  const given = results.map((result) => result.tool_use_id).sort()
  if (wanted.join() === given.join()) return
  throw new Refusal(
    `messages.${index}: each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message, and no other. Called: ${wanted}. Answered: ${given}.`,
  )
}

function checkThought(block: MessagesBlock, isOwn: typeof isOwnThought): void {
  if (block.type !== 'thinking' || isOwn(block)) return
  throw new Refusal('Invalid `signature` in `thinking` block')
}

function textOf(content: string | readonly { readonly type: string }[] | undefined): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((block) => String(fieldsOf(block)['text'] ?? '')).join('')
}

/** Marks at every place, the inside of tool inputs and schemas apart. */
function countMarks(body: unknown): number {
  const { system, tools, messages } = fieldsOf(body)
  const blocks = listOf(messages).flatMap((message) => listOf(fieldsOf(message)['content']))
  const inner = blocks.flatMap((block) => listOf(fieldsOf(block)['content']))
  return [...listOf(system), ...listOf(tools), ...blocks, ...inner].filter(
    (each) => (fieldsOf(each)['cache_control'] ?? null) !== null,
  ).length
}
