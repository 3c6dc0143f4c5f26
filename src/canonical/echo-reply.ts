import type { AssistantBlock } from './content.ts'
import type { Reply } from './reply.ts'
import type { ReplyEvent } from './reply-event.ts'

/** The answer with this text before each choice's text; an empty text changes nothing. */
export function echoReply(reply: Reply, text: string | undefined): Reply {
  if (text === undefined) return reply
  const choices = reply.choices.map((choice) => ({ ...choice, content: echoContent(choice.content, text) }))
  return { ...reply, choices }
}

function echoContent(content: readonly AssistantBlock[], text: string): readonly AssistantBlock[] {
  const position = content.findIndex(({ type }) => type === 'text')
  if (position === -1) return [...content, { type: 'text', text }]
  return content.map((block, index) =>
    block.type === 'text' && index === position ? { ...block, text: text + block.text } : block,
  )
}

/** The same for a stream, whose fold is the echo of the fold: each event as the events that replace it. */
export function createEcho(text: string): (event: ReplyEvent) => readonly ReplyEvent[] {
  const choices = new Map<number, { blocks: number; isEchoed: boolean }>()
  return (event) => {
    if (event.type !== 'block-start' && event.type !== 'choice-end') return [event]
    const { choice } = event
    const seen = choices.get(choice) ?? { blocks: 0, isEchoed: false }
    choices.set(choice, seen)
    const position = { choice, block: event.type === 'block-start' ? event.block : seen.blocks }
    if (event.type === 'block-start') seen.blocks += 1
    if (seen.isEchoed || (event.type === 'block-start' && event.start.type !== 'text')) return [event]
    seen.isEchoed = true
    const words: ReplyEvent = { type: 'text-delta', ...position, text }
    if (event.type === 'block-start') return [event, words]
    return [
      { type: 'block-start', ...position, start: { type: 'text' } },
      words,
      { type: 'block-end', ...position },
      event,
    ]
  }
}
