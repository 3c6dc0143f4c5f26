import { checkSchema } from '../agent/check-schema.ts'
import { Refusal, type Round } from '../agent/conversation.ts'
import type { Account } from './account.ts'
import {
  type ConverseBlock,
  type ConverseBody,
  type ConverseMessage,
  converseRequestSchema,
} from './converse-request-schema.ts'
import type { StrictRequest } from './strict-request.ts'

export interface ConverseTerms {
  readonly account: Account
  /** The model in the path. */
  readonly model: string
  readonly isStream: boolean
}

/** Takes a request as the Converse rules of `rules.md` allow. Throws `Refusal`. */
export function checkConverseRequest(
  value: unknown,
  { account, model, isStream }: ConverseTerms,
): StrictRequest {
  const body = checkSchema(converseRequestSchema, value)
  const { messages, toolConfig } = body
  checkRoles(messages)
  const rounds = messages.flatMap((message, index) =>
    readRound(message, messages[index + 1], messages[index - 1]),
  )
  checkIds(rounds)
  const blocks = messages.flatMap(({ content }) => content)
  if (toolConfig === undefined && rounds.length > 0) {
    throw new Refusal(
      'B7: The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    )
  }
  for (const { content, role } of messages) {
    if (role === 'assistant' && content.at(-1)?.reasoningContent !== undefined) {
      throw new Refusal('B9: The final block in an assistant message cannot be reasoning')
    }
  }
  for (const block of blocks) checkReasoning(block, account)
  checkThoughtBefore(body)
  return {
    model,
    isStream,
    wantsStreamUsage: true,
    wantsThinking: thinks(body),
    outputSchema: undefined,
    tools: (toolConfig?.tools ?? []).flatMap((tool) =>
      'toolSpec' in tool ? [{ name: tool.toolSpec.name, schema: tool.toolSpec.inputSchema.json }] : [],
    ),
    rounds,
    proofs: blocks.flatMap(({ reasoningContent }) => {
      const proof = reasoningContent?.reasoningText?.signature ?? reasoningContent?.redactedContent
      return proof === undefined ? [] : [proof]
    }),
    imageCount: blocks.flatMap(imagesOf).length,
  }
}

function thinks({ additionalModelRequestFields: fields }: ConverseBody): boolean {
  return fields?.thinking?.type === 'enabled' || fields?.thinking?.type === 'adaptive'
}

function checkRoles(messages: readonly ConverseMessage[]): void {
  const isAlternating = messages.every(({ role }, index) => (role === 'user') === (index % 2 === 0))
  if (!isAlternating) throw new Refusal('B2: A conversation must alternate between user and assistant roles.')
  if (messages.at(-1)?.role !== 'user') throw new Refusal('B2: A conversation must end with a user message.')
}

function readRound(
  { content }: ConverseMessage,
  next: ConverseMessage | undefined,
  before: ConverseMessage | undefined,
): readonly Round[] {
  const calls = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse]))
  const results = (next?.content ?? []).flatMap(({ toolResult }) =>
    toolResult === undefined ? [] : [toolResult],
  )
  const own = content.filter(({ toolResult }) => toolResult !== undefined)
  if (own.length > 0 && before === undefined) throw new Refusal('B3: results follow no calls')
  const wanted = calls.map(({ toolUseId }) => toolUseId).sort()
  const given = results.map(({ toolUseId }) => toolUseId).sort()
  if (wanted.join() !== given.join()) {
    throw new Refusal(`B3: Expected toolResult blocks for the following Ids: ${wanted}. Given: ${given}.`)
  }
  if (calls.length === 0) return []
  return [
    {
      calls: calls.map(({ toolUseId: id, name, input }) => ({ id, name, input })),
      results: results.map(({ toolUseId: callId, content: parts }) => ({
        callId,
        text: parts.map(({ text }) => text ?? '').join(''),
      })),
    },
  ]
}

function checkIds(rounds: readonly Round[]): void {
  const ids = rounds.flatMap(({ calls }) => calls.map(({ id }) => id))
  if (new Set(ids).size < ids.length) throw new Refusal('B4: tool_use ids must be unique')
}

function checkReasoning({ reasoningContent }: ConverseBlock, account: Account): void {
  if (reasoningContent === undefined) return
  const { reasoningText, redactedContent } = reasoningContent
  const isOwn =
    reasoningText === undefined
      ? account.knows(redactedContent ?? '')
      : account.knows(reasoningText.signature ?? '', reasoningText.text)
  if (!isOwn) throw new Refusal('B6: Invalid `signature` in `thinking` block')
}

function checkThoughtBefore({ messages, additionalModelRequestFields: fields }: ConverseBody): void {
  if (fields?.thinking?.type !== 'enabled') return
  const isLoop = ({ role, content }: ConverseMessage) =>
    role === 'user' && content.some(({ toolResult }) => toolResult !== undefined)
  const last = messages.at(-1)
  if (last === undefined || !isLoop(last)) return
  const start = messages.findLastIndex((message) => message.role === 'user' && !isLoop(message))
  const first = messages[start + 1]?.content[0]
  if (first?.reasoningContent !== undefined) return
  throw new Refusal('B8: Expected `thinking` or `redacted_thinking`, but found another block')
}

function imagesOf({ image, toolResult }: ConverseBlock): readonly object[] {
  const inner = toolResult?.content.flatMap((part) => (part.image === undefined ? [] : [part.image])) ?? []
  return image === undefined ? inner : [image, ...inner]
}
