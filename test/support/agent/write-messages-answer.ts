import type { AgentAnswer, AgentTurn, AgentUsage, Conversation } from './conversation.ts'
import { splitText } from './split-text.ts'

const thought = 'The files come first; then the third can be written.'
const signature = 'c2lnbmVkLWJ5LXRoZS1hZ2VudC11cHN0cmVhbQ=='

/** Whether a thinking block is exactly one that this upstream gave. */
export function isOwnThought(block: { readonly thinking: string; readonly signature: string }): boolean {
  return block.signature === signature && block.thinking === thought
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

/** A whole reply in the messages format. */
export function writeMessagesReply(answer: AgentAnswer, conversation: Conversation): object {
  const content = blocksOf(answer, conversation)
  return {
    ...head(answer, conversation),
    content,
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: writeUsage(answer.usage),
  }
}

/** The same as the events of a stream, `ping` among them. */
export function writeMessagesFrames(answer: AgentAnswer, conversation: Conversation): string[] {
  const start = { ...head(answer, conversation), content: [], stop_reason: null, stop_sequence: null }
  const message = { ...start, usage: { ...writeUsage(answer.usage), output_tokens: 1 } }
  return [
    frame('message_start', { message }),
    frame('ping', {}),
    ...blocksOf(answer, conversation).flatMap(writeBlock),
    frame('message_delta', {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: answer.usage.output },
    }),
    frame('message_stop', {}),
  ]
}

function head({ id }: AgentAnswer, { model }: Conversation): object {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model }
}

function blocksOf({ text, calls }: AgentTurn, { wantsThinking }: Conversation): readonly Block[] {
  return [
    ...(wantsThinking ? [{ type: 'thinking', thinking: thought, signature } as const] : []),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }) as const),
  ]
}

function writeBlock(block: Block, index: number): readonly string[] {
  const delta = (value: object) => frame('content_block_delta', { index, delta: value })
  const open = (value: object) => frame('content_block_start', { index, content_block: value })
  const close = frame('content_block_stop', { index })
  switch (block.type) {
    case 'thinking':
      return [
        open({ type: 'thinking', thinking: '', signature: '' }),
        ...splitText(block.thinking).map((piece) => delta({ type: 'thinking_delta', thinking: piece })),
        delta({ type: 'signature_delta', signature: block.signature }),
        close,
      ]
    case 'text':
      return [
        open({ type: 'text', text: '' }),
        ...splitText(block.text).map((piece) => delta({ type: 'text_delta', text: piece })),
        close,
      ]
    case 'tool_use':
      return [
        open({ ...block, input: {} }),
        ...['', ...splitText(JSON.stringify(block.input))].map((piece) =>
          delta({ type: 'input_json_delta', partial_json: piece }),
        ),
        close,
      ]
  }
}

function frame(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`
}

function stopReason({ calls }: AgentTurn): string {
  return calls.length === 0 ? 'end_turn' : 'tool_use'
}

function writeUsage({ freshInput, cacheRead, cacheWrite, output }: AgentUsage): object {
  return {
    input_tokens: freshInput,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    service_tier: 'standard',
  }
}
