import type { ModelColumn, PlaygroundSettings, Turn } from './conversation.ts'
import { isObject, isSent, type JsonBody, readTools, writeWords } from './write-chat-body.ts'

/** The default of the token limit, which Anthropic's format requires. */
const DEFAULT_MAX_TOKENS = 4_096

/** The same request in Anthropic's messages format. */
export function writeMessagesBody({ model, turns }: ModelColumn, settings: PlaygroundSettings): JsonBody {
  const { system, temperature, maxTokens } = settings
  const tools = (readTools(settings.tools) ?? []).flatMap(writeTool)
  return {
    model,
    max_tokens: maxTokens.trim() === '' ? DEFAULT_MAX_TOKENS : Number(maxTokens),
    ...(system.trim() !== '' && { system }),
    messages: turns.filter(isSent).map(writeMessage),
    ...(tools.length > 0 && { tools }),
    ...(temperature.trim() !== '' && { temperature: Number(temperature) }),
    stream: true,
  }
}

function writeTool({ function: declared }: JsonBody): readonly JsonBody[] {
  if (!isObject(declared)) return []
  const { name, description, parameters } = declared
  return [
    {
      name,
      ...(description !== undefined && { description }),
      input_schema: parameters ?? { type: 'object' },
    },
  ]
}

function writeMessage(turn: Turn): JsonBody {
  switch (turn.role) {
    case 'user':
      return {
        role: 'user',
        content:
          turn.images.length === 0 ? turn.text : [...writeWords(turn.text), ...turn.images.map(writeImage)],
      }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...writeWords(turn.text),
          ...(turn.state === 'whole' ? turn.calls : []).map(({ id, name, input }) => ({
            type: 'tool_use',
            id,
            name,
            input: readInput(input),
          })),
        ],
      }
    case 'tool':
      return {
        role: 'user',
        content: turn.results.map(({ callId, text }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content: text,
        })),
      }
  }
}

function writeImage(url: string): JsonBody {
  const [, mediaType = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? []
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The arguments may be invalid JSON, as a model wrote them. This format accepts only an object.
    return {}
  }
}
