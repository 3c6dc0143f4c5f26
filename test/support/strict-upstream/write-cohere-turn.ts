import { splitText } from '../agent/split-text.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../scripted-upstream.ts'
import type { SaidCall, SaidTurn } from './strict-request.ts'
import type { TurnTerms } from './write-messages-turn.ts'

const usage = {
  billed_units: { input_tokens: 20, output_tokens: 10 },
  tokens: { input_tokens: 20, output_tokens: 10 },
}

/** An answer in Cohere's format, whole or streamed as it was asked for. Hidden thoughts are not told. */
export function writeCohereTurn(turn: SaidTurn, { request }: TurnTerms): ScriptedAnswer {
  const content = contentOf(turn, request.wantsThinking)
  const calls = turn.blocks.filter((block) => block.type === 'call')
  const finish_reason = calls.length === 0 ? 'COMPLETE' : 'TOOL_CALL'
  if (!request.isStream) {
    const tool_calls = calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }
    const message = { role: 'assistant', content, ...tool_calls }
    return jsonAnswer({ id: turn.id, message, finish_reason, usage })
  }
  const start = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
  return sseAnswer([
    frame('message-start', { id: turn.id, delta: { message: start } }),
    ...content.flatMap(writeContent),
    ...calls.flatMap(writeCallFrames),
    frame('message-end', { id: turn.id, delta: { finish_reason, usage } }),
  ])
}

type Content = Readonly<Record<string, string>>

function contentOf({ blocks }: SaidTurn, wantsThinking: boolean): readonly Content[] {
  return blocks.flatMap((block): readonly Content[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }]
    const isReported = block.type === 'thought' && !block.isHidden && wantsThinking
    return isReported ? [{ type: 'thinking', thinking: block.text }] : []
  })
}

function writeCall({ id, name, input }: SaidCall): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function writeContent(content: Content, index: number): readonly string[] {
  const name = content['type'] === 'text' ? 'text' : 'thinking'
  const opened = { ...content, [name]: '' }
  return [
    frame('content-start', { index, delta: { message: { content: opened } } }),
    ...splitText(content[name] ?? '').map((piece) =>
      frame('content-delta', { index, delta: { message: { content: { [name]: piece } } } }),
    ),
    frame('content-end', { index }),
  ]
}

function writeCallFrames({ id, name, input }: SaidCall, index: number): readonly string[] {
  const opened = { id, type: 'function', function: { name, arguments: '' } }
  return [
    frame('tool-call-start', { index, delta: { message: { tool_calls: opened } } }),
    ...splitText(JSON.stringify(input)).map((piece) =>
      frame('tool-call-delta', {
        index,
        delta: { message: { tool_calls: { function: { arguments: piece } } } },
      }),
    ),
    frame('tool-call-end', { index }),
  ]
}

function frame(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`
}
