import { splitText } from '../agent/split-text.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../scripted-upstream.ts'
import type { Account } from './account.ts'
import type { SaidBlock, SaidTurn, StrictRequest } from './strict-request.ts'

export interface TurnTerms {
  readonly request: StrictRequest
  readonly account: Account
}

type Block = Readonly<Record<string, unknown>>

const usage = { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/** An answer in the messages format, whole or streamed as it was asked for. */
export function writeMessagesTurn(turn: SaidTurn, terms: TurnTerms): ScriptedAnswer {
  const { request } = terms
  const blocks = turn.blocks.flatMap((block, index) => writeBlock(block, `${turn.id}.${index}`, terms))
  const head = { id: `msg_${turn.id}`, type: 'message', role: 'assistant', model: request.model }
  const stop = {
    stop_reason: turn.blocks.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
  }
  if (!request.isStream) {
    return jsonAnswer({ ...head, content: blocks, ...stop, usage: { ...usage, output_tokens: 10 } })
  }
  const message = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  return sseAnswer([
    frame('message_start', { message }),
    ...blocks.flatMap(writeFrames),
    frame('message_delta', { delta: stop, usage: { output_tokens: 10 } }),
    frame('message_stop', {}),
  ])
}

function writeBlock(block: SaidBlock, position: string, { request, account }: TurnTerms): readonly Block[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'call':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }]
    case 'thought':
      if (!request.wantsThinking) return []
      return block.isHidden
        ? [{ type: 'redacted_thinking', data: account.prove(block.text, position) }]
        : [{ type: 'thinking', thinking: block.text, signature: account.prove(block.text, position) }]
  }
}

function writeFrames(block: Block, index: number): readonly string[] {
  const delta = (value: object) => frame('content_block_delta', { index, delta: value })
  const open = (value: object) => frame('content_block_start', { index, content_block: value })
  const close = frame('content_block_stop', { index })
  switch (block['type']) {
    case 'text':
      return [
        open({ ...block, text: '' }),
        ...splitText(String(block['text'])).map((text) => delta({ type: 'text_delta', text })),
        close,
      ]
    case 'thinking':
      return [
        open({ ...block, thinking: '', signature: '' }),
        ...splitText(String(block['thinking'])).map((thinking) =>
          delta({ type: 'thinking_delta', thinking }),
        ),
        delta({ type: 'signature_delta', signature: block['signature'] }),
        close,
      ]
    case 'tool_use':
      return [
        open({ ...block, input: {} }),
        ...splitText(JSON.stringify(block['input'])).map((partial_json) =>
          delta({ type: 'input_json_delta', partial_json }),
        ),
        close,
      ]
    default:
      return [open(block), close]
  }
}

function frame(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`
}
