import { checkSchema } from '../agent/check-schema.ts'
import { Refusal, type Round, type ToolResult } from '../agent/conversation.ts'
import { fieldsOf, listOf, wordOf } from '../second-reader/meaning.ts'
import { type CohereMessage, cohereRequestSchema } from './cohere-request-schema.ts'
import type { StrictRequest } from './strict-request.ts'

/** Takes a request as the Cohere rules of `rules.md` allow. Throws `Refusal`. */
export function checkCohereRequest(value: unknown): StrictRequest {
  const body = checkSchema(cohereRequestSchema, value)
  const { messages, tools = [], thinking } = body
  const last = messages.at(-1)?.role
  if (last === 'assistant') throw new Refusal('K6: the last message must be of the user or a tool')
  const parts = messages.flatMap((message) => listOf(message.content)).map(fieldsOf)
  return {
    model: body.model,
    isStream: body.stream === true,
    wantsStreamUsage: true,
    wantsThinking: thinking?.type !== 'disabled',
    outputSchema: undefined,
    tools: tools.map(({ function: { name, parameters: schema } }) => ({ name, schema })),
    rounds: readRounds(messages),
    proofs: [],
    imageCount: parts.filter(({ type }) => type === 'image_url').length,
  }
}

function readRounds(messages: readonly CohereMessage[]): readonly Round[] {
  const rounds: Round[] = []
  let results: ToolResult[] | undefined
  for (const message of messages) {
    if (message.role === 'tool') {
      if (results === undefined) throw new Refusal('K3: a tool message answers no call')
      results.push({ callId: message.tool_call_id, text: textOf(message.content) })
      continue
    }
    checkCovered(rounds.at(-1))
    results = undefined
    if (message.role !== 'assistant' || message.tool_calls === undefined) continue
    results = []
    const calls = message.tool_calls.map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      input: JSON.parse(input),
    }))
    rounds.push({ calls, results })
  }
  checkCovered(rounds.at(-1))
  return rounds
}

function checkCovered(round: Round | undefined): void {
  const wanted = (round?.calls ?? []).map(({ id }) => id).sort()
  const given = (round?.results ?? []).map(({ callId }) => callId).sort()
  if (wanted.join() !== given.join()) throw new Refusal(`K2: called ${wanted}, answered ${given}`)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => wordOf(fieldsOf(part)['text']))
    .join('')
}
