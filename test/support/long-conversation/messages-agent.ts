import Anthropic from '@anthropic-ai/sdk'
import { testKey } from '../start-gateway.ts'
import type { Agent, AgentResult, AgentTerms } from './agent.ts'
import { imageData, toolNames } from './plan-conversation.ts'

type Part = Anthropic.TextBlockParam | Anthropic.ImageBlockParam
type Ephemeral = Anthropic.CacheControlEphemeral

const mark: Ephemeral = { type: 'ephemeral' }
const tools: Anthropic.Tool[] = toolNames.map((name) => ({
  name,
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))
const image: Anthropic.ImageBlockParam = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: imageData },
}

/**
 * The official client of the messages format, used as Claude Code uses it: content goes back unchanged, results of
 * parallel calls stand in one message in the order in which they were ready, and the last block is marked for the
 * cache.
 */
export function createMessagesAgent({ url, chooseModel, chooseStream }: AgentTerms): Agent {
  const client = new Anthropic({ baseURL: url, apiKey: testKey, maxRetries: 0 })
  const messages: Anthropic.MessageParam[] = []
  return {
    hear({ text, hasImage }) {
      messages.push({ role: 'user', content: [...(hasImage ? [image] : []), { type: 'text', text }] })
    },
    async ask() {
      const body: Anthropic.MessageCreateParamsNonStreaming = {
        model: chooseModel(),
        max_tokens: 8_000,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        system: [{ type: 'text', text: 'Work with care.', cache_control: mark }],
        messages: markLast(messages),
        tools,
      }
      const { message, losses } = chooseStream()
        ? await askStreamed(client, body)
        : await askWhole(client, body)
      messages.push({ role: 'assistant', content: message.content })
      const { content } = message
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: content.filter((block) => block.type === 'tool_use'),
        losses,
      }
    },
    take(results) {
      messages.push({ role: 'user', content: results.map(writeResult) })
    },
  }
}

interface Asked {
  readonly message: Anthropic.Message
  readonly losses: string
}

async function askWhole(client: Anthropic, body: Anthropic.MessageCreateParamsNonStreaming): Promise<Asked> {
  const { data, response } = await client.messages.create(body).withResponse()
  return { message: data, losses: response.headers.get('x-headgate-loss') ?? '' }
}

async function askStreamed(
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
): Promise<Asked> {
  const { data, response } = await client.messages.stream(body).withResponse()
  return {
    message: await data.finalMessage(),
    losses: response.headers.get('x-headgate-loss') ?? '',
  }
}

function writeResult({ callId, text, isError, hasImage }: AgentResult): Anthropic.ToolResultBlockParam {
  const content: Part[] = [{ type: 'text', text }, ...(hasImage ? [image] : [])]
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: hasImage ? content : text,
    ...(isError ? { is_error: true } : {}),
  }
}

function markLast(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  const blocks = typeof last?.content === 'string' ? [] : (last?.content ?? [])
  const block = blocks.at(-1)
  if (last === undefined || (block?.type !== 'text' && block?.type !== 'tool_result')) return [...messages]
  const marked = { ...block, cache_control: mark }
  return [...messages.slice(0, -1), { role: 'user', content: [...blocks.slice(0, -1), marked] }]
}
