import type { BlockStart, ReplyEvent } from '../canonical/reply-event.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import { createSseParser, type SseFrame } from '../kit/sse/sse-parser.ts'
import type { StreamReader } from '../wire/reply-stream.ts'

interface Block {
  readonly type: BlockStart['type']
  readonly name: string | undefined
  text: string
}

/** The answer that the events of a stream add up to so far. */
class StreamFold {
  #blocks = new Map<string, Block>()
  #stopReason: string | undefined
  #failure: string | undefined

  push(event: ReplyEvent): void {
    switch (event.type) {
      case 'block-start':
        this.#blocks.set(`${event.choice}/${event.block}`, openBlock(event.start))
        return
      case 'text-delta':
      case 'tool-input-delta':
        this.#add(event.choice, event.block, event.text)
        return
      case 'audio-delta':
        this.#add(event.choice, event.block, event.transcript ?? '')
        return
      case 'choice-end':
        this.#stopReason ??= event.stopReason
        return
      case 'failure':
        this.#failure = event.failure.code
        return
      default:
        return
    }
  }

  result(): JsonObject {
    return {
      content: [...this.#blocks.values()].map(({ type, name, text }) => ({
        type,
        ...(name !== undefined && { name }),
        [type === 'tool-call' ? 'input' : 'text']: text,
      })),
      stop_reason: this.#stopReason ?? null,
      ...(this.#failure !== undefined && { error: this.#failure }),
    }
  }

  #add(choice: number, block: number, text: string): void {
    const open = this.#blocks.get(`${choice}/${block}`)
    if (open !== undefined) open.text += text
  }
}

function openBlock(start: BlockStart): Block {
  return { type: start.type, name: start.type === 'tool-call' ? start.name : undefined, text: '' }
}

/**
 * Combines the frames of a stream into one answer, as JSON, as far as the stream goes; undefined where nothing can be
 * read.
 */
export function foldStream(bytes: Buffer, reader: StreamReader | undefined): string | undefined {
  const parser = createSseParser()
  const frames = [...parser.push(bytes)]
  const rest = parser.end()
  if (rest !== undefined) frames.push(rest)
  const fold = reader === undefined ? undefined : foldFrames(frames, reader)
  const folded = fold ?? foldPlain(frames)
  return folded === undefined ? undefined : JSON.stringify(folded)
}

function foldFrames(frames: readonly SseFrame[], reader: StreamReader): JsonObject {
  const fold = new StreamFold()
  for (const frame of frames) for (const event of reader.push(frame)) fold.push(event)
  return fold.result()
}

/** Folds a stream of plain text completions, which no reader of the canonical form reads. */
function foldPlain(frames: readonly SseFrame[]): JsonObject | undefined {
  const texts = frames.map(({ data }) => readText(data)).filter((text) => text !== undefined)
  return texts.length === 0
    ? undefined
    : { content: [{ type: 'text', text: texts.join('') }], stop_reason: null }
}

function readText(data: string | undefined): string | undefined {
  const value: unknown = data === undefined ? undefined : tryParseJson(data)
  if (typeof value !== 'object' || value === null || !('choices' in value)) return undefined
  const { choices } = value
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (typeof first !== 'object' || first === null || !('text' in first)) return undefined
  return typeof first.text === 'string' ? first.text : undefined
}
