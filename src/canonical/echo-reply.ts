import type { AssistantBlock } from './content.ts'
import type { Reply } from './reply.ts'
import type { ReplyEvent } from './reply-event.ts'

/** Puts this text before each choice's text. An empty text changes nothing. */
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

interface EchoedChoice {
  blocks: number
  isEchoed: boolean
}

/** Puts the text before each choice of a stream. The folded result equals `echoReply` of the folded stream. */
export class StreamEcho {
  readonly #text: string
  readonly #choices = new Map<number, EchoedChoice>()

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the events that replace this event. */
  push(event: ReplyEvent): readonly ReplyEvent[] {
    if (event.type !== 'block-start' && event.type !== 'choice-end') return [event]
    const { choice } = event
    const seen = this.#choiceOf(choice)
    const position = { choice, block: event.type === 'block-start' ? event.block : seen.blocks }
    if (event.type === 'block-start') seen.blocks += 1
    if (seen.isEchoed || (event.type === 'block-start' && event.start.type !== 'text')) return [event]
    seen.isEchoed = true
    const words: ReplyEvent = { type: 'text-delta', ...position, text: this.#text }
    if (event.type === 'block-start') return [event, words]
    return [
      { type: 'block-start', ...position, start: { type: 'text' } },
      words,
      { type: 'block-end', ...position },
      event,
    ]
  }

  #choiceOf(index: number): EchoedChoice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const choice: EchoedChoice = { blocks: 0, isEchoed: false }
    this.#choices.set(index, choice)
    return choice
  }
}
