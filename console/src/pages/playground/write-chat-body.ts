import type { ModelColumn, PlaygroundSettings, Turn } from './conversation.ts'

export type JsonBody = Readonly<Record<string, unknown>>

/** Typed text that cannot be sent. */
export type SettingsFault = 'tools' | 'temperature' | 'max_tokens'

/** The first fault of the settings; undefined where all of it can be sent. */
export function findFault(settings: PlaygroundSettings): SettingsFault | undefined {
  if (readTools(settings.tools) === undefined) return 'tools'
  if (settings.temperature.trim() !== '' && !/^\d(?:\.\d+)?$/.test(settings.temperature.trim()))
    return 'temperature'
  if (settings.maxTokens.trim() !== '' && !/^[1-9]\d{0,6}$/.test(settings.maxTokens.trim()))
    return 'max_tokens'
  return undefined
}

/** The definitions of tools; undefined where they are not a list of objects. */
export function readTools(text: string): readonly JsonBody[] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(isObject) ? value : undefined
  } catch {
    // The user is still typing it.
    return undefined
  }
}

export function isObject(value: unknown): value is JsonBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The body of POST /v1/chat/completions: what the playground sends is what the snippets send. */
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
 * An answer that failed, has not come yet or is empty is no part of the conversation; one that was stopped is, as far as
 * its text came.
 */
export function isSent(turn: Turn): boolean {
  if (turn.role !== 'assistant') return true
  const { state, text, calls } = turn
  if (state === 'whole') return text !== '' || calls.length > 0
  return state === 'stopped' && text !== ''
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
  return [{ type: 'text', text }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))]
}
