import type { ModelColumn, PlaygroundSettings, Turn } from './conversation.ts'

export type JsonBody = Readonly<Record<string, unknown>>

/** The setting whose typed text cannot be sent. */
export type SettingsFault = 'tools' | 'temperature' | 'max_tokens'

/** The first invalid setting. Undefined if all settings can be sent. */
export function findFault(settings: PlaygroundSettings): SettingsFault | undefined {
  if (readTools(settings.tools) === undefined) return 'tools'
  if (settings.temperature.trim() !== '' && !/^\d(?:\.\d+)?$/.test(settings.temperature.trim()))
    return 'temperature'
  if (settings.maxTokens.trim() !== '' && !/^[1-9]\d{0,6}$/.test(settings.maxTokens.trim()))
    return 'max_tokens'
  return undefined
}

/** The definitions of tools. Undefined if the text is not a list of objects. */
export function readTools(text: string): readonly JsonBody[] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(isObject) ? value : undefined
  } catch {
    // The JSON is incomplete while the user types.
    return undefined
  }
}

export function isObject(value: unknown): value is JsonBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The body of POST /v1/chat/completions. The playground and the snippets send the same body. */
export function writeChatBody({ model, turns }: ModelColumn, settings: PlaygroundSettings): JsonBody {
  const tools = readTools(settings.tools) ?? []
  const { system, temperature, maxTokens } = settings
  return {
    model,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.filter(isSent).flatMap(writeMessages),
    ],
    ...(tools.length > 0 && { tools }),
    ...(temperature.trim() !== '' && { temperature: Number(temperature) }),
    ...(maxTokens.trim() !== '' && { max_tokens: Number(maxTokens) }),
    stream: true,
    stream_options: { include_usage: true },
  }
}

/**
 * Whether a turn is part of the conversation. A response that failed, is pending or is empty is left out. A stopped
 * response, or one whose page was left, is sent with the text that arrived.
 */
export function isSent(turn: Turn): boolean {
  if (turn.role !== 'assistant') return true
  const { state, text, calls } = turn
  if (state === 'whole') return text !== '' || calls.length > 0
  return (state === 'stopped' || state === 'left') && text !== ''
}

function writeMessages(turn: Turn): readonly JsonBody[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: writeContent(turn.text, turn.images) }]
    case 'assistant':
      return [
        {
          role: 'assistant',
          content: turn.text === '' && turn.calls.length > 0 ? null : turn.text,
          ...(turn.calls.length > 0 &&
            turn.state === 'whole' && {
              tool_calls: turn.calls.map(({ id, name, input }) => ({
                id,
                type: 'function',
                function: { name, arguments: input },
              })),
            }),
        },
      ]
    case 'tool':
      return turn.results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text }))
  }
}

function writeContent(text: string, images: readonly string[]): unknown {
  if (images.length === 0) return text
  return [...writeWords(text), ...images.map((url) => ({ type: 'image_url', image_url: { url } }))]
}

/** The part with the words of a message. Empty for a blank text, which Anthropic refuses even next to a picture. */
export function writeWords(text: string): readonly JsonBody[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}
