import { openScriptedUpstream, type ScriptedAnswer, type ScriptedUpstream } from '../scripted-upstream.ts'

interface UpstreamPlan {
  /** The share of requests that fail, from 0 to 1. */
  readonly failing?: number
  /** Called before each answer, to let time pass. */
  readonly onRequest?: (index: number) => void
}

/**
 * A provider in the chat format that answers at once, in a stream where it is asked for one, and counts its tokens. It
 * repeats a word where it is asked for that word alone, and knows one answer to everything else.
 */
export function openModelUpstream({ failing = 0, onRequest }: UpstreamPlan = {}): Promise<ScriptedUpstream> {
  return openScriptedUpstream((request, index) => {
    if (request.method === 'GET')
      return json(200, { object: 'list', data: [{ id: 'gpt-4o', object: 'model' }] })
    if (index * failing >= 1 && (index * failing) % 1 < failing)
      return json(503, { error: { message: 'The server is overloaded.', type: 'server_error' } })
    onRequest?.(index)
    const text = request.body.toString('utf8')
    const { model, stream } = JSON.parse(text)
    const asked = { model, index, words: wordsFor(text) }
    return stream === true ? streamAnswer(asked) : wholeAnswer(asked)
  })
}

const answer = ['Rain', ' is', ' water', ' that', ' falls', ' from', ' clouds', '.']

interface Asked {
  readonly model: unknown
  readonly index: number
  readonly words: readonly string[]
}

function wordsFor(text: string): readonly string[] {
  const word = /nothing else: ([\w-]+)/.exec(text)?.[1]
  return word === undefined ? answer : [word]
}

function usageOf(index: number) {
  const cached = (index * 37) % 900
  return {
    prompt_tokens: 400 + cached + ((index * 131) % 3_000),
    completion_tokens: 60 + ((index * 61) % 700),
    total_tokens: 460 + cached + ((index * 131) % 3_000) + ((index * 61) % 700),
    prompt_tokens_details: { cached_tokens: cached },
  }
}

function wholeAnswer({ model, index, words }: Asked): ScriptedAnswer {
  const message = { role: 'assistant', content: words.join('') }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  return json(200, {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 1,
    model,
    choices,
    usage: usageOf(index),
  })
}

function streamAnswer({ model, index, words }: Asked): ScriptedAnswer {
  const base = { id: `chatcmpl-${index}`, object: 'chat.completion.chunk', created: 1, model }
  const chunk = (delta: object, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const events = [
    ...words.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    { ...base, choices: [], usage: usageOf(index) },
  ]
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'],
  }
}

function json(status: number, body: object): ScriptedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] }
}
